#!/usr/bin/env bash
# Installs the agents that package.json pins. If the registry lacks one of them, that one is
# named and left out, and its rows do not run. All else that goes wrong is a failure: an agent that can
# be had must run.
set -uo pipefail
cd "$(dirname "$0")" || exit 1
absent=node_modules/.absent

if [ -f node_modules/.package-lock.json ] && [ ! package-lock.json -nt node_modules/.package-lock.json ]; then
	[ ! -s "$absent" ] || sed 's/^/NOT RUN, the registry lacks it: /' "$absent" >&2
	exit 0
fi
if npm ci --no-audit --no-fund; then
	: >"$absent"
	exit 0
fi

echo 'npm ci failed: is there an agent that the registry lacks?' >&2
rm -rf node_modules
there=()
lacking=()
for agent in $(jq -r '.dependencies | to_entries[] | "\(.key)@\(.value)"' package.json); do
	if answer=$(npm view "$agent" version --json 2>&1) && [ -n "$answer" ]; then
		there+=("$agent")
	elif grep -q E404 <<<"$answer"; then
		lacking+=("$agent")
		echo "NOT RUN, the registry lacks it: $agent" >&2
	else
		printf '%s\n' "$answer" >&2
		exit 1
	fi
done
if [ "${#there[@]}" -eq 0 ] || [ "${#lacking[@]}" -eq 0 ]; then
	exit 1
fi
# Not with the lock file, which wants them all. It is not written either.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
echo '{"private": true}' >"$folder/package.json"
(cd "$folder" && npm install --no-audit --no-fund "${there[@]}") || exit 1
mv "$folder/node_modules" node_modules
printf '%s\n' "${lacking[@]}" >"$absent"
