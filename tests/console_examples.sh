#!/usr/bin/env bash
# Runs the console examples of a document again: console_examples.sh DOCUMENT.md path/to/meshgauge [--write]
#
# In a ```console block a line "$ command" is followed by what it prints; commands run in the root of the repository.
# Without --write a difference is an error, with it the document takes the new output. Of a ```sh block nothing is run.
set -euo pipefail
document=$(realpath "$1")
export PATH
PATH="$(dirname "$(realpath "$2")"):$PATH"
cd "$(dirname "${BASH_SOURCE[0]}")/.."

examples_run_again() {
  local line inside=
  while IFS= read -r line; do
    if [[ $inside && $line != '```' ]]; then
      [[ $line == '$ '* ]] || continue # old output
      printf '%s\n' "$line"
      bash -c "${line:2}" 2>&1 </dev/null | sed 's/ *$//' || true # editors trim documents
      continue
    fi
    inside=
    [[ $line != '```console' ]] || inside=yes
    printf '%s\n' "$line"
  done <"$document"
}

new=$(mktemp)
trap 'rm -f "$new"' EXIT
examples_run_again >"$new"
if grep -q '^```console$' "$document" && ! grep -q '^\$ ' "$new"; then
  echo "no example in the console blocks of $document" >&2
  exit 1
fi
if [[ ${3-} == --write ]]; then cat "$new" >"$document"; else diff -u "$document" "$new"; fi
