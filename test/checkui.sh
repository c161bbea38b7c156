#!/usr/bin/env bash
# Tests the web UI of the Inspector gateway, builds it again and fails if that is not what is committed, or if it
# has become too big: the built files are committed, so that building the exporter needs Go only.
set -euo pipefail
cd "$(dirname "$0")/../exporter/inspectorexporter/ui"

limit=350000 # bytes of all JavaScript, each file as gzip
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT

npx tsc --noEmit
npx vitest run
npx vite build --outDir "$fresh" --emptyOutDir --logLevel warn
if ! diff -r "$fresh" dist; then
	echo "The built page is not that of its source: run make ui and commit what it writes." >&2
	exit 1
fi

size=0
for script in dist/*.js; do
	size=$((size + $(gzip -9 -c "$script" | wc -c)))
done
echo "JavaScript of the web UI: $size bytes as gzip, at most $limit"
[ "$size" -le "$limit" ]
