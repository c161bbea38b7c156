package configs

import (
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// TestPortsInUse: a port of the default that is in use ends the start with at most five lines, which name the port, the
// setting, and how to choose another.
func TestPortsInUse(t *testing.T) {
	const host = "127.78.10.2"
	for port, setting := range map[int]string{
		4319: "receivers::mcp::http::endpoint", 4327: "receivers::mcp::otlp::protocols::grpc::endpoint",
		4328: "receivers::mcp::otlp::protocols::http::endpoint", 7810: "exporters::mcp_inspector::http::endpoint",
		8899: "exporters::prometheus::endpoint", 13134: "extensions::healthcheckv2::http::endpoint", 8898: "service::telemetry::metrics::readers",
	} {
		t.Run(setting, func(t *testing.T) {
			address := fmt.Sprintf("%s:%d", host, port)
			listener, err := net.Listen("tcp", address)
			if err != nil {
				harness.Missing(t, "a second loopback address: "+err.Error())
			}
			defer listener.Close()
			out, err := command(t, []string{"LISTEN_HOST=" + host, "XDG_STATE_HOME=" + t.TempDir()}, "--config", "embedded:default")
			require.Error(t, err)
			assert.LessOrEqual(t, strings.Count(out, "\n"), 5, out)
			for _, want := range []string{address, setting, "choose others"} {
				assert.Contains(t, out, want)
			}
		})
	}
}
