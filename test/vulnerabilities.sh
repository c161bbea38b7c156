#!/usr/bin/env bash
# Looks up the modules in both binaries in Go's vulnerability database, and fails if code that they
# contain is affected: test/vulnerabilities.sh BINARY
# VULNDB names another copy of the database, as in file:///srv/vulndb. If no database can be reached,
# the check is left out, says so, and does not fail: that is the network's fault, not the code's.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

binary=$1
code=0
# The binary tells which of a module's functions are in it. mcptap's is stripped, so its source is read.
for target in "-mode binary $binary" ./cmd/mcptap; do
	echo "govulncheck $target"
	# shellcheck disable=SC2086 # words
	output=$("${GO:-go}" tool -modfile=tools/audit/go.mod govulncheck -db "${VULNDB:-https://vuln.go.dev}" $target 2>&1)
	result=$?
	echo "$output"
	if [ "$result" -eq 0 ]; then
		continue
	fi
	case $output in
	*'govulncheck: fetching vulnerabilities: Get "http'*)
		echo 'NOT CHECKED: no vulnerability database can be reached. Set VULNDB to a copy, or run make vulns where there is a network.' >&2
		exit 0
		;;
	esac
	code=1
done
exit "$code"
