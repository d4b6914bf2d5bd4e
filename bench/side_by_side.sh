#!/usr/bin/env bash
# The same collectives, sizes and ranks measured by the OSU micro-benchmarks and by meshgauge-bench, in turns:
#   bench/side_by_side.sh OSU_FOLDER MESHGAUGE_BENCH [RANKS [RUNS [ITERATIONS]]]
# OSU_FOLDER holds osu_allreduce and its like (c/mpi/collective/blocking of a build). Prints a Markdown table: for each
# size the least and the median time of all runs of each program, and their ratios. OSU times each call by itself with
# a barrier in between and takes the mean over ranks; that is -z 3 of nccl-tests. One size a run, so that both use the
# same memory again and again. SIZES="64 4096" in the environment chooses others.
set -euo pipefail
osu=${1:?folder of the OSU micro-benchmarks} ours=${2:?meshgauge-bench} ranks=${3:-2} runs=${4:-7} iterations=${5:-200}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
more=()
((ranks > $(nproc))) && more+=(--oversubscribe)
mpi=(mpirun "${more[@]}" -np "$ranks")

# OSU's program, our command, over how many parts of OSU's size the array of nccl-tests goes, and the column of the time:
# 6 out of place, 10 in place, as MPI_Bcast is.
pairs="osu_allreduce all_reduce 1 6
osu_bcast broadcast 1 10
osu_allgather all_gather $ranks 6
osu_alltoall alltoall $ranks 6
osu_reduce_scatter_block reduce_scatter 1 6"

theirs_us() { "${mpi[@]}" "$osu/$1" -m "$2:$2" -i "$iterations" -x 20 -T mpi_float 2>/dev/null </dev/null | awk '/^[0-9]/ {print $2}'; }
ours_us() {
  "${mpi[@]}" "$ours" "$1" --backend mpi --no-bind -b "$2" -e "$2" -n "$iterations" -w 20 -z 3 -c 0 </dev/null | awk -v column="$3" '/^ / {print $column}'
}
least_and_median() { sort -g | awk '{v[NR] = $1} END {print v[1], v[int((NR + 1) / 2)]}'; }

echo "| collective | bytes | OSU least, median (us) | ours least, median (us) | ratio of least | of medians |"
echo "|---|---|---|---|---|---|"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
while read -r program command parts column; do
  for bytes in ${SIZES:-64 4096 65536 1048576 4194304}; do
    : >"$scratch/theirs"
    : >"$scratch/ours"
    for ((run = 0; run < runs; ++run)); do
      theirs_us "$program" "$bytes" >>"$scratch/theirs"
      ours_us "$command" $((bytes * parts)) "$column" >>"$scratch/ours"
    done
    read -r a b < <(least_and_median <"$scratch/theirs")
    read -r c d < <(least_and_median <"$scratch/ours")
    awk -v n="$command" -v s="$bytes" -v a="$a" -v b="$b" -v c="$c" -v d="$d" \
      'BEGIN {printf "| %s | %d | %.2f, %.2f | %.2f, %.2f | %.3f | %.3f |\n", n, s, a, b, c, d, c / a, d / b}'
  done
done <<<"$pairs"
