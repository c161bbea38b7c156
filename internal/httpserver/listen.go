package httpserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"

	"go.opentelemetry.io/collector/config/confighttp"
)

// Listen opens the port of a server, of which key says where the configuration
// has it, as in receivers::mcp::http::endpoint. The error says what to do.
func Listen(ctx context.Context, cfg *confighttp.ServerConfig, key string) (net.Listener, error) {
	listener, err := cfg.ToListener(ctx)
	switch {
	case err == nil:
		return listener, nil
	case inUse(err):
		return nil, fmt.Errorf("cannot listen on %s: %w: stop the program that uses this port, perhaps another otelcol-mcp, or change %s",
			cfg.NetAddr.Endpoint, err, key)
	}
	return nil, fmt.Errorf("cannot listen on %s: %w: set %s", cfg.NetAddr.Endpoint, err, key)
}

// wsaInUse is the error of Windows in place of EADDRINUSE.
const wsaInUse = syscall.Errno(10048)

func inUse(err error) bool {
	return errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, wsaInUse)
}
