// Package embeddedprovider is a confmap.Provider for the configurations inside the binary:
// embedded:default runs the collector with nothing else on the machine.
package embeddedprovider // import "github.com/otelcol-mcp/otelcol-mcp/confmap/embeddedprovider"

import (
	"context"
	"fmt"
	"strings"

	"go.opentelemetry.io/collector/confmap"

	"github.com/otelcol-mcp/otelcol-mcp/config"
)

const schemeName = "embedded"

type provider struct{}

// NewFactory returns the factory of the provider for the scheme "embedded". Its URIs are
//
//	embedded:default
//	embedded:jaeger
//
// and so on, one for each file of the config directory. A later --config adds to them as to any
// other source.
func NewFactory() confmap.ProviderFactory {
	return confmap.NewProviderFactory(newProvider)
}

func newProvider(confmap.ProviderSettings) confmap.Provider {
	return provider{}
}

func (provider) Retrieve(_ context.Context, uri string, _ confmap.WatcherFunc) (*confmap.Retrieved, error) {
	name, ok := strings.CutPrefix(uri, schemeName+":")
	if !ok {
		return nil, fmt.Errorf("%q uri is not supported by %q provider", uri, schemeName)
	}
	text, err := config.Read(name)
	if err != nil {
		return nil, err
	}
	return confmap.NewRetrievedFromYAML(text)
}

func (provider) Scheme() string { return schemeName }

// Shutdown has nothing to close: the texts live as long as the process.
func (provider) Shutdown(context.Context) error { return nil }
