#!/usr/bin/env bash
# Runs the console examples of README.md again: readme_examples.sh README.md path/to/meshgauge [--write]
#
# In a ```console block a line "$ command" is followed by what it prints. Without --write a difference is an error, with
# it the README takes the new output.
set -euo pipefail
readme=$1
export PATH
PATH="$(dirname "$(realpath "$2")"):$PATH"

examples_run_again() {
  local line inside=
  while IFS= read -r line; do
    if [[ $inside && $line != '```' ]]; then
      [[ $line == '$ '* ]] || continue # old output
      printf '%s\n' "$line"
      bash -c "${line:2}" 2>&1 </dev/null | sed 's/ *$//' || true # editors trim the README
      continue
    fi
    inside=
    [[ $line != '```console' ]] || inside=yes
    printf '%s\n' "$line"
  done <"$readme"
}

new=$(mktemp)
trap 'rm -f "$new"' EXIT
examples_run_again >"$new"
grep -q '^\$ ' "$new" || { echo "no example in $readme" >&2; exit 1; }
if [[ ${3-} == --write ]]; then cat "$new" >"$readme"; else diff -u "$readme" "$new"; fi
