#!/bin/sh
# An upgrade runs this too, and leaves the service alone: "upgrade" says a deb, 1 or more an rpm.
set -e
case "$1" in
upgrade | failed-upgrade | [1-9]*) exit 0 ;;
esac
if [ -d "$DPKG_ROOT/run/systemd/system" ]; then
	systemctl disable --now otelcol-mcp.service || true
fi
