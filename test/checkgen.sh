#!/usr/bin/env bash
# Fails if generating changes any file: what is generated is committed, so that `go build` and
# `go install` need nothing else. It compares with the working tree, not with the last commit, so it
# can be run before committing as well.
set -euo pipefail
cd "$(dirname "$0")/.."

state() {
	git ls-files --cached --others --exclude-standard -z |
		grep -zE '^(cmd/otelcol-mcp/|deploy/grafana/dashboards/|docs/metrics\.md$|docs/dialects\.md$|.*generated_|.*/documentation\.md$|.*/README\.md$)' |
		sort -z | xargs -0 sha256sum 2>/dev/null || true
}

before=$(state)
make --no-print-directory generate dashboards
if ! diff <(echo "$before") <(state); then
	echo "Generated files are not up to date: run make generate dashboards and commit what it writes." >&2
	exit 1
fi
