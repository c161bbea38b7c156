#!/usr/bin/env bash
# Fails if something that is in a binary has a licence that does not go with Apache-2.0.
set -euo pipefail
cd "$(dirname "$0")/.."

# Weak copyleft by file (MPL-2.0) is fine for modules that we do not change. The last one is of build
# scripts that Thrift's LICENSE lists beside its own, Apache-2.0.
allowed=Apache-2.0,BSD-2-Clause,BSD-3-Clause,ISC,MIT,MPL-2.0,GNU-All-permissive-Copying-License
if ! output=$("${GO:-go}" tool -modfile=tools/audit/go.mod go-licenses check --allowed_licenses="$allowed" ./cmd/otelcol-mcp ./cmd/mcptap 2>&1); then
	grep -vE 'contains non-Go code|^/' <<<"$output" >&2
	exit 1
fi
echo "Go modules in the binaries: $allowed"

# The web UI and the price table of internal/prices are embedded. What is not for development only is in them.
for lock in exporter/inspectorexporter/ui/package-lock.json tools/prices/package-lock.json; do
	jq -r '.packages | to_entries[] | select(.key != "" and .value.dev != true) | "\(.key) \(.value.license)"' "$lock" |
		while read -r package licence; do
			if [[ ",$allowed,0BSD," != *",$licence,"* ]]; then
				echo "$package in $lock has the licence $licence, which is not in the list" >&2
				exit 1
			fi
			echo "$package: $licence"
		done
done
