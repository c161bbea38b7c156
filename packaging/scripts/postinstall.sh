#!/bin/sh
# deb, rpm and apk. The service is not started: you may want to look at /etc/otelcol-mcp first.
set -e
if [ -d "$DPKG_ROOT/run/systemd/system" ]; then
	systemctl daemon-reload
	# An upgrade of a running service takes effect at once.
	systemctl try-restart otelcol-mcp.service || true
fi
