package portconverter

import (
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
)

// taken returns the address of a port that is in use.
func taken(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "localhost:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	return listener.Addr().String()
}

func convert(t *testing.T, text string) error {
	t.Helper()
	retrieved, err := confmap.NewRetrievedFromYAML([]byte(text))
	require.NoError(t, err)
	conf, err := retrieved.AsConf()
	require.NoError(t, err)
	return converter{true}.Convert(t.Context(), conf)
}

func TestPortsInUse(t *testing.T) {
	hooks, page, own := taken(t), taken(t), taken(t)
	host, port, err := net.SplitHostPort(own)
	require.NoError(t, err)
	err = convert(t, `
receivers: {mcp: {http: {endpoint: "`+hooks+`"}, inspector: [{endpoint: "`+own+`"}]}}
exporters: {mcp_inspector: {http: {endpoint: "`+page+`"}}, otlp_grpc: {endpoint: "`+own+`"}, prometheus: {endpoint: "`+own+`"}}
extensions: {healthcheckv2: {http: {endpoint: "localhost:0"}}, zpages: {endpoint: "`+own+`"}}
service:
  extensions: [healthcheckv2]
  pipelines: {traces: {receivers: [mcp], exporters: [mcp_inspector, otlp_grpc]}}
  telemetry: {metrics: {readers: [{pull: {exporter: {prometheus: {host: "`+host+`", port: `+port+`}}}}]}}
`)
	require.EqualError(t, err, "ports in use: "+page+" (exporters::mcp_inspector::http::endpoint), "+hooks+" (receivers::mcp::http::endpoint), "+
		own+" (service::telemetry::metrics::readers): stop the program that uses them, perhaps another otelcol-mcp, or choose others, "+
		"as in --config 'yaml:exporters::mcp_inspector::http::endpoint: localhost:PORT'")
	assert.Zero(t, strings.Count(err.Error(), "\n"))
}

func TestFreePorts(t *testing.T) {
	require.NoError(t, convert(t, `{receivers: {mcp: {http: {endpoint: "localhost:0"}}}, service: {pipelines: {traces: {receivers: [mcp]}}}}`))
	require.NoError(t, convert(t, `{}`))
	require.NoError(t, convert(t, `{service: {pipelines: 1, extensions: {a: b}, telemetry: {metrics: {readers: [1]}}}}`), "the collector says what is wrong")
}
