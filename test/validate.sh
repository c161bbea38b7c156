#!/usr/bin/env bash
# Lets a built distribution validate every shipped configuration: test/validate.sh BINARY
set -euo pipefail
cd "$(dirname "$0")/.."

binary=$1
code=0
# config/backends holds settings for other people's servers.
while IFS= read -r -d '' file; do
	if "$binary" validate --config "$file"; then
		echo "ok      $file"
	else
		echo "INVALID $file"
		code=1
	fi
done < <(find config -name '*.yaml' -not -path 'config/backends/*' -print0 | sort -z)
exit "$code"
