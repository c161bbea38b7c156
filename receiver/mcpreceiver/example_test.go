package mcpreceiver_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/receiver"

	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver"
)

// A program of your own can run the receiver without a collector around it: any
// consumer gets the spans.
func ExampleNewFactory() {
	ctx := context.Background()
	factory := mcpreceiver.NewFactory()
	cfg := factory.CreateDefaultConfig().(*mcpreceiver.Config)
	server := cfg.HTTP.Get()
	server.NetAddr.Endpoint = freePort() // "localhost:4319" by default
	cfg.HTTP = configoptional.Some(*server)

	spans := new(consumertest.TracesSink)
	set := receiver.Settings{ID: component.NewID(factory.Type()), TelemetrySettings: componenttest.NewNopTelemetrySettings()}
	r, err := factory.CreateTraces(ctx, set, cfg, spans)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := r.Start(ctx, componenttest.NewNopHost()); err != nil {
		fmt.Println(err)
		return
	}

	response, err := http.Post("http://"+server.NetAddr.Endpoint+"/v1/observations", "application/x-ndjson", strings.NewReader(
		`{"session":"s","message":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}}
		{"session":"s","message":{"jsonrpc":"2.0","id":1,"result":{"content":[]}}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer response.Body.Close()
	fmt.Println(response.Status)
	if err := r.Shutdown(ctx); err != nil {
		fmt.Println(err)
	}
	for _, td := range spans.AllTraces() {
		for _, span := range td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
			fmt.Println(span.Name())
		}
	}
	// Output:
	// 202 Accepted
	// session.start
	// tool.call
	// session.summary
	// workflow.run
}

// freePort is an address that nothing listens on.
func freePort() string {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		return ""
	}
	defer l.Close()
	return l.Addr().String()
}
