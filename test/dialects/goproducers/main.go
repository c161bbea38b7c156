// Program goproducers records what frameworks in Go emit: goproducers NAME FOLDER. It
// writes OTLP/JSON, with ids and times that do not change from one recording to the next.
package main

import (
	"context"
	"log"
	"os"
	"path/filepath"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

// producers are the programs by name, and the files that they fill.
var producers = map[string]struct {
	run     func(context.Context, *trace.TracerProvider) error
	service string
	file    string
}{
	"genkit": {runGenkit, "genkit-agent", "genkit/genkit-go.json"},
	"mcp_go": {runMCPGo, "mcp-program", "mcp_go/mcp-go.json"},
}

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: goproducers NAME FOLDER")
	}
	producer, ok := producers[os.Args[1]]
	if !ok {
		log.Fatalf("no producer %q", os.Args[1])
	}
	spans := tracetest.NewInMemoryExporter()
	provider := trace.NewTracerProvider(trace.WithSyncer(spans))
	otel.SetTracerProvider(provider)
	if err := producer.run(context.Background(), provider); err != nil {
		log.Fatal(err)
	}
	file := filepath.Join(os.Args[2], producer.file)
	if err := write(file, producer.service, spans.GetSpans().Snapshots()); err != nil {
		log.Fatal(err)
	}
}
