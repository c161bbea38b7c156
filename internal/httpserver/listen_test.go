package httpserver

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/config/confignet"
)

const key = "receivers::x::http::endpoint"

func serverConfig(endpoint string) *confighttp.ServerConfig {
	cfg := confighttp.NewDefaultServerConfig()
	cfg.NetAddr = confignet.AddrConfig{Endpoint: endpoint, Transport: confignet.TransportTypeTCP}
	return &cfg
}

func TestAPortInUse(t *testing.T) {
	first, err := Listen(t.Context(), serverConfig("localhost:0"), key)
	require.NoError(t, err)
	defer first.Close()
	address := first.Addr().String()
	_, err = Listen(t.Context(), serverConfig(address), key)
	require.EqualError(t, err, "cannot listen on "+address+": listen tcp "+address+": bind: address already in use: "+
		"stop the program that uses this port, perhaps another otelcol-mcp, or change receivers::x::http::endpoint")
}

func TestAnAddressThatIsNone(t *testing.T) {
	_, err := Listen(t.Context(), serverConfig("localhost:http:x"), key)
	require.ErrorContains(t, err, "cannot listen on localhost:http:x: ")
	require.ErrorContains(t, err, ": set receivers::x::http::endpoint")
}
