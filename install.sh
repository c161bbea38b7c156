#!/bin/sh
# Installs otelcol-mcp and mcptap from a release on GitHub:
#   curl -fsSL https://github.com/otelcol-mcp/otelcol-mcp/releases/latest/download/install.sh | sh
#   curl -fsSL https://github.com/otelcol-mcp/otelcol-mcp/releases/latest/download/install.sh | sh -s -- --dir /usr/local/bin
# It writes the two programs to one directory and changes nothing else. To uninstall, delete them.
set -eu

usage() {
	cat <<'TEXT'
Usage: install.sh [--version VERSION] [--dir DIRECTORY] [--dry-run]

  --version VERSION  release to install, such as 0.1.0; the latest if unset
  --dir DIRECTORY    where the programs go; ~/.local/bin if unset
  --dry-run          download and check the release, but install nothing
  --help             print this text

OTELCOL_MCP_RELEASES names a mirror of https://github.com/otelcol-mcp/otelcol-mcp/releases.
TEXT
}

fail() {
	echo "install.sh: $*" >&2
	exit 1
}

has() { command -v "$1" >/dev/null 2>&1; }

# fetch URL FILE. It follows redirects to https only, unless a mirror has another scheme.
fetch() {
	if has curl; then
		case $1 in
		https:*) curl -fsSL --proto '=https' --tlsv1.2 --retry 2 -o "$2" "$1" ;;
		*) curl -fsSL --retry 2 -o "$2" "$1" ;;
		esac
	elif has wget; then
		case $1 in
		https:*) wget -q --https-only -O "$2" "$1" ;;
		*) wget -q -O "$2" "$1" ;;
		esac
	else
		fail 'curl or wget is needed'
	fi || fail "cannot download $1"
}

sha256() {
	if has sha256sum; then
		sha256sum "$1"
	else
		shasum -a 256 "$1"
	fi | cut -d ' ' -f 1
}

# The platform as it is part of an archive's name.
platform() {
	case $(uname -s) in
	Linux) os=linux ;;
	Darwin) os=darwin ;;
	*) fail "no release for $(uname -s): build it from the source, or on Windows download the zip file" ;;
	esac
	case $(uname -m) in
	x86_64 | amd64) arch=amd64 ;;
	aarch64 | arm64) arch=arm64 ;;
	*) fail "no release for $(uname -m): build it from the source" ;;
	esac
	echo "${os}_$arch"
}

# All of it is in a function, so that half a script does nothing.
main() {
	version='' dir='' dry_run=false
	while [ $# -gt 0 ]; do
		case $1 in
		--version | --dir)
			if [ $# -lt 2 ] || [ -z "$2" ]; then fail "$1 needs a value"; fi
			if [ "$1" = --dir ]; then dir=$2; else version=${2#v}; fi
			shift
			;;
		--version=?*) version=${1#*=} version=${version#v} ;;
		--dir=?*) dir=${1#*=} ;;
		--dry-run) dry_run=true ;;
		--help | -h)
			usage
			exit 0
			;;
		*) fail "unknown argument $1: see --help" ;;
		esac
		shift
	done
	case $version in
	*[!0-9A-Za-z.+-]*) fail "$version is not a version" ;;
	esac
	if [ -z "$dir" ]; then
		[ -n "${HOME:-}" ] || fail 'HOME is not set: name a directory with --dir'
		dir=$HOME/.local/bin
	fi

	has sha256sum || has shasum || fail 'sha256sum or shasum is needed to check the download'
	releases=${OTELCOL_MCP_RELEASES:-https://github.com/otelcol-mcp/otelcol-mcp/releases}
	platform=$(platform)
	temporary=$(mktemp -d)
	trap 'rm -rf "$temporary"' EXIT
	trap 'exit 1' HUP INT TERM

	# checksums.txt names the archives, and so the version.
	if [ -n "$version" ]; then
		fetch "$releases/download/v$version/checksums.txt" "$temporary/checksums.txt"
	else
		fetch "$releases/latest/download/checksums.txt" "$temporary/checksums.txt"
		version=$(sed -n "s/^[0-9a-f]\{64\}  otelcol-mcp_\([0-9A-Za-z.+-]*\)_$platform\.tar\.gz\$/\1/p" "$temporary/checksums.txt")
		[ -n "$version" ] || fail "the latest release has no archive for $platform"
	fi
	archive=otelcol-mcp_${version}_$platform.tar.gz
	want=$(awk -v name="$archive" 'NF == 2 && $2 == name && length($1) == 64 { print $1 }' "$temporary/checksums.txt")
	[ -n "$want" ] || fail "checksums.txt of release $version does not name $archive"
	fetch "$releases/download/v$version/$archive" "$temporary/$archive"
	got=$(sha256 "$temporary/$archive")
	[ "$got" = "$want" ] || fail "$archive is damaged: its SHA-256 is $got, not $want"

	tar -xzf "$temporary/$archive" -C "$temporary" otelcol-mcp mcptap || fail "$archive does not contain otelcol-mcp and mcptap"
	for program in otelcol-mcp mcptap; do
		if [ ! -f "$temporary/$program" ] || [ -L "$temporary/$program" ]; then fail "$program in $archive is not a file"; fi
	done
	if $dry_run; then
		echo "Would install otelcol-mcp and mcptap $version to $dir"
		return
	fi

	mkdir -p "$dir" || fail "cannot make $dir: name another directory with --dir"
	for program in otelcol-mcp mcptap; do
		# In two steps: a program that runs is not overwritten, but replaced.
		chmod 755 "$temporary/$program"
		if ! cp "$temporary/$program" "$dir/.$program.new" || ! mv -f "$dir/.$program.new" "$dir/$program"; then
			fail "cannot write to $dir: name another directory with --dir"
		fi
	done
	echo "Installed otelcol-mcp and mcptap $version to $dir"
	case :$PATH: in
	*:"$dir":*) run='' ;;
	*)
		run=$dir/
		echo "$dir is not in your PATH."
		;;
	esac
	echo "Next:"
	echo "  ${run}otelcol-mcp --config embedded:default"
	echo "  ${run}mcptap connect --all"
}

main "$@"
