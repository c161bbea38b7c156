package embeddedprovider

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/confmaptest"
	"go.opentelemetry.io/collector/confmap/provider/envprovider"
	"go.opentelemetry.io/collector/confmap/provider/yamlprovider"

	"github.com/otelcol-mcp/otelcol-mcp/config"
)

func TestScheme(t *testing.T) {
	p := NewFactory().Create(confmaptest.NewNopProviderSettings())
	require.NoError(t, confmaptest.ValidateProviderScheme(p))
	assert.Equal(t, "embedded", p.Scheme())
	require.NoError(t, p.Shutdown(t.Context()))
}

func TestRetrieveEvery(t *testing.T) {
	p := NewFactory().Create(confmaptest.NewNopProviderSettings())
	for _, name := range config.Names() {
		t.Run(name, func(t *testing.T) {
			retrieved, err := p.Retrieve(t.Context(), "embedded:"+name, nil)
			require.NoError(t, err)
			conf, err := retrieved.AsConf()
			require.NoError(t, err)
			assert.True(t, conf.IsSet("service::pipelines"))
			require.NoError(t, retrieved.Close(t.Context()))
		})
	}
}

func TestRetrieveErrors(t *testing.T) {
	p := NewFactory().Create(confmaptest.NewNopProviderSettings())
	for uri, want := range map[string]string{
		"embedded:":            `no embedded configuration "", there are: datadog, default`,
		"embedded:nosuch":      `no embedded configuration "nosuch", there are: datadog, default`,
		"embedded:../go":       `no embedded configuration "../go", there are: datadog, default`,
		"embedded:default.yml": `no embedded configuration "default.yml", there are: datadog, default`,
		"file:default":         `"file:default" uri is not supported by "embedded" provider`,
	} {
		t.Run(uri, func(t *testing.T) {
			_, err := p.Retrieve(t.Context(), uri, nil)
			assert.ErrorContains(t, err, want)
		})
	}
}

// A later source changes one key and leaves the rest of the default alone.
func TestMerge(t *testing.T) {
	resolver, err := confmap.NewResolver(confmap.ResolverSettings{
		URIs:              []string{"embedded:default", "yaml:exporters::debug::verbosity: detailed"},
		ProviderFactories: []confmap.ProviderFactory{NewFactory(), yamlprovider.NewFactory(), envprovider.NewFactory()},
	})
	require.NoError(t, err)
	conf, err := resolver.Resolve(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "detailed", conf.Get("exporters::debug::verbosity"))
	assert.Equal(t, "localhost:4319", conf.Get("receivers::mcp::http::endpoint"))
	require.NoError(t, resolver.Shutdown(t.Context()))
}
