#!/usr/bin/env bash
# Gets what the tests need and Go does not bring: programs through apt-get, where that is possible, and
# npm packages: the peers of the end-to-end tests, what builds the page and what drives a browser.
# What is missing then fails the build server; elsewhere the tests that need it are skipped, loudly.
# Folders with npm packages may be named: test/needs.sh test/agents
set -euo pipefail
cd "$(dirname "$0")/.."

missing() {
	if [ "${CI:-}" = true ]; then
		echo "MISSING: $1" >&2
		exit 1
	fi
	echo "MISSING, tests that need it are skipped: $1" >&2
}

# Program and the Debian package that it is in.
programs=(git:git gcc:gcc node:nodejs npm:npm redis-server:redis-server nginx:nginx chromium:chromium jq:jq prometheus:prometheus systemd-analyze:systemd img2webp:webp rpm:rpm shellcheck:shellcheck)

absent() {
	local entry
	for entry in "${programs[@]}"; do
		command -v "${entry%%:*}" >/dev/null || echo "${entry##*:}"
	done
}

packages=$(absent)
if [ -n "$packages" ] && command -v apt-get >/dev/null && [ "$(id -u)" -eq 0 ]; then
	export DEBIAN_FRONTEND=noninteractive
	apt-get update -qq || true
	# shellcheck disable=SC2086 # one word a package
	apt-get install -qq -y --no-install-recommends $packages libc6-dev || true
fi
for package in $(absent); do
	missing "Debian package $package"
done

[ $# -gt 0 ] || set -- test/peers test/page exporter/inspectorexporter/ui deploy/grafana
for folder in "$@"; do
	if [ -f "$folder/package-lock.json" ] && command -v npm >/dev/null; then
		if [ ! "$folder/node_modules/.package-lock.json" -nt "$folder/package-lock.json" ]; then
			(cd "$folder" && npm ci --no-audit --no-fund) || missing "npm packages of $folder"
		fi
	fi
done
