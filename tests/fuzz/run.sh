#!/usr/bin/env bash
# Fuzzes every way in, or those named, for some seconds each: tests/fuzz/run.sh SECONDS [ID...]
# Adds to the corpus the few small inputs that reach most of what was learnt: tests/fuzz/run.sh --merge [ID...]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

[[ $# -ge 1 && ($1 == --merge || $1 =~ ^[0-9]+$) ]] || { sed -n '2,3s/^# //p' "$0" >&2; exit 2; }
what=$1
shift
ids=("$@")
[[ ${#ids[@]} -gt 0 ]] || mapfile -t ids < <(ls tests/fuzz/corpus)
[[ -f build/fuzz/CMakeCache.txt ]] || cmake --preset fuzz >/dev/null
cmake --build --preset fuzz --target "${ids[@]/#/fuzz-}"

found=0
for id in "${ids[@]}"; do
  target=build/fuzz/tests/fuzz/fuzz-$id kept=tests/fuzz/corpus/$id learnt=build/fuzz/corpus/$id
  mkdir -p "$learnt" build/fuzz/found
  if [[ $what == --merge ]]; then
    python3 tests/fuzz/keep.py "$target" "$kept" "$learnt"
  else
    printf '%s: ' "$id"
    log=build/fuzz/found/$id.log
    "$target" -max_total_time="$what" -rss_limit_mb=4096 -max_len=65536 -timeout=25 -print_final_stats=1 \
      -artifact_prefix="build/fuzz/found/$id-" "$learnt" "$kept" 2>"$log" || found=1
    grep -E '^(Done|==.*ERROR|SUMMARY)|Test unit written|runtime error' "$log" || tail -n 5 "$log"
  fi
done
exit $found
