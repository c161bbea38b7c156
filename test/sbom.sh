#!/usr/bin/env bash
# Writes what is in the binaries as CycloneDX documents, from the binaries themselves and from the
# lock file of the web UI, which is embedded: test/sbom.sh FOLDER BINARY...
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$1
shift
mkdir -p "$folder"
version=$(sed -n 's/^  version: *//p' builder-config.yaml)
for binary in "$@"; do
	out=$folder/$(basename "$binary").cdx.json
	# This module is not on a proxy, so looking up its licence warns.
	"${GO:-go}" tool -modfile=tools/audit/go.mod cyclonedx-gomod bin -json -std -licenses -version "$version" -output "$out" "$binary" 2>&1 |
		grep -v 'otelcol-mcp/otelcol-mcp@' >&2 || true
	jq -r --arg out "$out" '"\($out): \(.components | length) components"' "$out"
done
out=$folder/web-ui.cdx.json
(cd exporter/inspectorexporter/ui && npm sbom --loglevel error --sbom-format cyclonedx --omit dev --package-lock-only) >"$out"
jq -r --arg out "$out" '"\($out): \(.components | length) components"' "$out"
