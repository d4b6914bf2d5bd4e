#!/usr/bin/env bash
# The suite on all GPUs of some nodes under torchrun. The same on each node:
#   MASTER_ADDR=node0 NODES=2 NODE_RANK=0 ./torchrun.sh [flags of the suite]      (NODE_RANK=1 on the other)
# On one node nothing needs to be set. Without GPUs take mpirun: torchrun starts no MPI.
set -euo pipefail

bench=$(command -v "${MESHGAUGE_BENCH:-meshgauge-bench}")
gpus=${GPUS_PER_NODE:-$(nvidia-smi --list-gpus | wc -l)}
nodes=${NODES:-1}
read -ra more <<< "${TORCHRUN_ARGS:-}"

# torchrun listens on MASTER_PORT itself; rank 0 of the suite takes one of the ports after it, or MESHGAUGE_PORT.
exec torchrun --nnodes="$nodes" --nproc_per_node="$gpus" --node_rank="${NODE_RANK:-0}" \
  --master_addr="${MASTER_ADDR:-127.0.0.1}" --master_port="${MASTER_PORT:-29500}" "${more[@]}" --no_python \
  "$bench" "${MESHGAUGE_COMMAND:-suite}" --expect-ranks "$((nodes * gpus))" "$@"
