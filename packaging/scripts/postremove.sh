#!/bin/sh
set -e
if [ -d "$DPKG_ROOT/run/systemd/system" ]; then
	systemctl daemon-reload
fi
# dpkg --purge: sessions and open state go too.
if [ "$1" = purge ]; then
	rm -rf "$DPKG_ROOT/var/lib/otelcol-mcp" "$DPKG_ROOT/var/lib/private/otelcol-mcp"
fi
