#!/usr/bin/env bash
# Runs a command and says how long it took: test/stage.sh NAME COMMAND...
set -uo pipefail

name=$1
shift
printf '==> %s\n' "$name"
start=$SECONDS
"$@"
code=$?
verdict='done'
[ "$code" -eq 0 ] || verdict="FAILED ($code)"
printf '<== %s: %s after %ds\n' "$name" "$verdict" "$((SECONDS - start))"
exit "$code"
