#!/usr/bin/env bash
# Installs the newest versions of the agents that package.json names into a folder: latest.sh FOLDER
set -euo pipefail
cd "$(dirname "$0")/../.."
mkdir -p "$1"
jq '.dependencies |= map_values("latest")' test/agents/package.json >"$1/package.json"
cd "$1"
rm -f package-lock.json
npm install --no-audit --no-fund
# npm ls calls versions invalid that stand in package.json as "latest".
jq -r '.dependencies | keys[]' package.json | while read -r agent; do
	jq -r '"\(.name) \(.version)"' "node_modules/$agent/package.json"
done
