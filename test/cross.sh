#!/usr/bin/env bash
# Vets what is ours and builds mcptap for each platform that releases are for, and the whole collector
# if asked: test/cross.sh [all]. The platform of this machine is what all other stages are for.
# The packages that OpenTelemetry's modules need take minutes of compiling for each platform, and differ
# by operating system, not by processor: they are vetted once for each system.
set -euo pipefail
cd "$(dirname "$0")/.."

export CGO_ENABLED=0
go=${GO:-go}
here=$("$go" env GOHOSTOS)/$("$go" env GOHOSTARCH)
for platform in linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64; do
	[ "$platform" != "$here" ] || continue
	start=$SECONDS
	export GOOS=${platform%/*} GOARCH=${platform#*/}
	packages=(./cmd/mcptap/... ./internal/version/... ./internal/observation/... ./internal/jsonscan/...)
	case $platform in
	darwin/arm64 | windows/amd64) packages=(./cmd/... ./internal/... ./receiver/... ./processor/... ./exporter/... ./confmap/...) ;;
	esac
	"$go" vet "${packages[@]}"
	"$go" build -trimpath -o /dev/null ./cmd/mcptap
	if [ "${1:-}" = all ]; then
		"$go" build -trimpath -o /dev/null ./cmd/otelcol-mcp
	fi
	printf '%s: %ds\n' "$platform" "$((SECONDS - start))"
done
