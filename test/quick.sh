#!/usr/bin/env bash
# Checks what has changed since the branch left main, in the working tree too: format, go vet of everything, and the short
# tests of the changed packages and of those that import them. It leaves out what starts programs (test/), the race
# detector and the modules of their own; make test has them.
set -euo pipefail
cd "$(dirname "$0")/.."

go=${GO:-go}
base=$(git merge-base HEAD origin/main 2>/dev/null || git merge-base HEAD main 2>/dev/null || echo HEAD)
changed=$({ git diff --name-only --diff-filter=d "$base" && git ls-files --others --exclude-standard; } | sort -u)

unformatted=$(grep '\.go$' <<<"$changed" | grep -v '^cmd/otelcol-mcp/' | xargs -r gofmt -s -l)
if [ -n "$unformatted" ]; then
	printf 'not formatted, run make fmt:\n%s\n' "$unformatted" >&2
	exit 1
fi
"$go" vet ./...

# A file below a package, such as a fixture, belongs to it.
folders=$(sed -n 's|/[^/]*$||p' <<<"$changed" | sort -u)
mapfile -t packages < <("$go" list -f '{{.ImportPath}} {{.Dir}} {{join .Imports " "}} {{join .TestImports " "}} {{join .XTestImports " "}}' ./... |
	awk -v root="$PWD/" -v folders="$folders" '
		BEGIN { n = split(folders, list, "\n") }
		{ dir[$1] = substr($2, length(root) + 1); owner[dir[$1]] = $1; $2 = ""; imports[$1] = $0 " " }
		END {
			for (i = 1; i <= n; i++) {
				for (folder = list[i]; !(folder in owner) && sub("/[^/]*$", "", folder); ) { }
				if (folder in owner) hit[owner[folder]] = 1
			}
			for (package in imports) {
				split(imports[package], used, " ")
				for (i in used) if (used[i] in hit) test[package] = 1
			}
			for (package in test) if (dir[package] !~ /^(test|bench)\//) print package
		}')
grep -q '\.md$' <<<"$changed" && packages+=(./test/docs)
grep -qE '^(install\.sh|packaging/|test/|\.github/)' <<<"$changed" && packages+=(./test/release)
[ "${#packages[@]}" -eq 0 ] || "$go" test -short "${packages[@]}" | { grep -v 'no test files' || true; }
