#!/usr/bin/env bash
# Builds the benchmarks for this machine's GPU, checks collectives, products and a suite on it, and leaves results in
# bench/results. Under 8 minutes, unattended. Exit status: 0 all right, 1 something was wrong, 3 nothing could be tried.
#   native/gpu_check.sh [BUILD_FOLDER]
# MESHGAUGE_CHECK_BACKEND=mpi tries the script itself where there is no GPU; MESHGAUGE_CHECK_BENCH names a program that
# is built already.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 3

backend=${MESHGAUGE_CHECK_BACKEND:-nccl}
build=${1:-build/gpu-check}
results=bench/results
deadline=$((SECONDS + ${MESHGAUGE_CHECK_SECONDS:-470}))
log=$results/gpu-check.log
failed=0
mkdir -p "$results" || exit 3
: > "$log"

say() { printf '%s\n' "$*" | tee -a "$log"; }
left() { echo $((deadline - SECONDS)); }

# step NAME SECONDS COMMAND...: its output goes to the log; the time is what is asked for or left.
step() {
  local name=$1 seconds=$2 status
  shift 2
  [ "$(left)" -lt "$seconds" ] && seconds=$(left)
  if [ "$seconds" -lt 5 ]; then
    say "SKIPPED  $name: no time left"
    failed=1
    return 1
  fi
  printf '\n## %s: %s\n' "$name" "$*" >> "$log"
  local start=$SECONDS
  timeout --kill-after=5 "$seconds" "$@" < /dev/null >> "$log" 2>&1
  status=$?
  if [ "$status" -eq 0 ]; then
    say "ok       $name ($((SECONDS - start)) s)"
  else
    say "FAILED   $name: status $status after $((SECONDS - start)) s (124: out of time)"
    failed=1
  fi
  return "$status"
}

if [ "$backend" = nccl ]; then
  if ! nvidia-smi --query-gpu=name,driver_version,compute_cap,memory.total --format=csv,noheader | tee -a "$log"; then
    say "There is no GPU here."
    exit 3
  fi
fi

bench=${MESHGAUGE_CHECK_BENCH:-}
if [ -z "$bench" ]; then
  bench=$build/native/meshgauge-bench
  options=(-DCMAKE_BUILD_TYPE=Release -DMESHGAUGE_TESTS=OFF -DMESHGAUGE_BENCH=OFF -DMESHGAUGE_CLI=OFF)
  if [ "$backend" = nccl ]; then  # code for this GPU alone: a quarter of the time
    arch=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -1 | tr -d .)
    options+=(-DMESHGAUGE_CUDA=ON "-DCMAKE_CUDA_ARCHITECTURES=$arch")
  fi
  command -v ninja > /dev/null && options+=(-G Ninja)
  step configure 60 cmake -S . -B "$build" "${options[@]}" || exit 3
  step build 240 cmake --build "$build" --target meshgauge-bench --parallel "$(nproc)" || exit 3
fi

run=("$bench")
one=(--backend "$backend" --timeout 60)
step preflight 60 "${run[@]}" preflight "${one[@]}" --ranks 1

# A single rank: products against sums in double precision, copies, collectives of one.
formats=bf16,fp16,tf32,fp8
[ "$backend" = mpi ] && formats=fp32
step gemm 60 "${run[@]}" gemm "${one[@]}" --ranks 1 --formats "$formats" --budget 0.1 \
  --shapes 256x256x256,1024x512x2048,4*128x256x512 --json "$results/gpu-check-gemm.json"
step copy 40 "${run[@]}" copy "${one[@]}" --ranks 1 --budget 0.1 --sizes 1M,64M --json "$results/gpu-check-copy.json"
formats=bf16,fp32
[ "$backend" = mpi ] && formats=fp32
step attention 60 "${run[@]}" attention "${one[@]}" --ranks 1 --formats "$formats" --budget 0.1 \
  --shapes 2x512x8/2x64,1x1024x4x128 --json "$results/gpu-check-attention.json"
step all_reduce-1 40 "${run[@]}" all_reduce "${one[@]}" --ranks 1 -b 8 -e 16M -f 8 -n 5
if [ "$backend" = nccl ]; then
  step graph-1 40 "${run[@]}" all_reduce "${one[@]}" --ranks 1 -b 1M -e 1M -n 5 -G 2
  step registered-1 40 "${run[@]}" all_reduce "${one[@]}" --ranks 1 -b 1M -e 1M -n 5 -R 1
fi
# A short suite of one rank, whose products and copies are measurements.
step suite-1 120 "${run[@]}" suite "${one[@]}" --ranks 1 --fresh --quick --json "$results/gpu-check-suite.json"

# Several ranks on one GPU: right or wrong alone counts.
ranks=2
launch() {  # COMMAND FLAGS...
  if [ "$backend" = nccl ]; then
    step "$ranks ranks: $1 $2 $3" 60 native/shared_gpu.sh "$ranks" "${run[@]}" "$1" --backend nccl --timeout 30 "${@:2}"
  else
    step "$ranks ranks: $1 $2 $3" 60 "${run[@]}" "$1" "${one[@]}" --ranks "$ranks" "${@:2}"
  fi
}
small=(-b 8 -e 64K -f 16 -n 2 -w 1)
before=$failed
if launch all_reduce "${small[@]}" -d all; then
  for operation in all_gather reduce_scatter broadcast reduce alltoall alltoallv sendrecv gather scatter hypercube; do
    launch "$operation" "${small[@]}"
  done
  for strategy in ddp zero1 zero2 zero3; do  # their ranks have to end with equal weights
    launch step --strategy "$strategy" --layers 2 --hidden 128 --vocab 1024 --seq 64 --steps 3
    launch step --strategy "$strategy" --precision bf16 --layers 2 --hidden 128 --vocab 1024 --seq 64 --steps 3
  done
  launch step --tp 2 --layers 2 --hidden 128 --vocab 1024 --seq 64 --steps 3
  launch step --tp 2 --no-sequence-parallel --layers 2 --hidden 128 --vocab 1024 --seq 64 --steps 3
elif [ "$?" -ne 1 ]; then  # no wrong results: the way round NCCL's refusal is none that NVIDIA supports
  failed=$before
  say "Several ranks on one GPU do not work here: the collectives above are those of one rank."
fi

sed -i "s/\b$(hostname -s)\b/node/g" "$log"  # results name no hosts
say "$([ "$failed" -eq 0 ] && echo 'All right.' || echo "Not all right: see $log.") $SECONDS s"
exit "$failed"
