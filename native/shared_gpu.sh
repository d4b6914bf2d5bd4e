#!/usr/bin/env bash
# Several NCCL ranks on one GPU, to see that results are right: shared_gpu.sh RANKS PROGRAM [ARGUMENTS...]
# NCCL refuses a GPU that two ranks of a host share (2.28.9, src/init.cc), so each rank says that it is a host of its
# own, and they talk over sockets. Times say nothing: the kernels of the ranks take turns on the GPU.
set -u

ranks=${1:?number of ranks}
shift
port=$((29000 + RANDOM % 900))
export WORLD_SIZE=$ranks LOCAL_WORLD_SIZE=$ranks MASTER_ADDR=127.0.0.1 MESHGAUGE_PORT=$port
export MESHGAUGE_RUN_ID="shared-$$-$port" MESHGAUGE_DEVICE=${MESHGAUGE_DEVICE:-0}
export NCCL_NET=Socket NCCL_IB_DISABLE=1 NCCL_SOCKET_IFNAME=lo NCCL_P2P_DISABLE=1 NCCL_SHM_DISABLE=1
export NCCL_NVLS_ENABLE=0 NCCL_MIN_CTAS=1 NCCL_MAX_CTAS=2

pids=()
trap 'kill "${pids[@]}" 2> /dev/null' EXIT
for ((rank = 0; rank < ranks; ++rank)); do
  RANK=$rank LOCAL_RANK=$rank NCCL_HOSTID=rank-$rank "$@" &
  pids+=($!)
done
worst=0
for pid in "${pids[@]}"; do
  wait "$pid"
  status=$?
  [ "$status" -gt "$worst" ] && worst=$status
done
exit "$worst"
