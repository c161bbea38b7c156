// Program instrumented is an MCP server, an MCP client, or both, with the
// OpenTelemetry SDK in it: what somebody's agents look like. It is made for
// tests and for docs/stitching.md.
//
//	instrumented -name c -listen localhost:8003
//	instrumented -name b -listen localhost:8002 -next http://localhost:8003
//	instrumented -name a -next http://localhost:8002
//
// Without -listen it asks the next one once and ends. Nothing of a trace
// context is on the wire: each process starts a trace of its own, and only
// the value of mcp.request_id is on both sides of a call. Spans go where
// OTEL_EXPORTER_OTLP_ENDPOINT says.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os/signal"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// requestID is the attribute of both spans of a call, and the member of _meta
// that takes it to the other side.
const requestID = "mcp.request_id"

const tool = "ask"

type question struct {
	Text string `json:"text"`
}

type program struct {
	name   string
	next   string // the MCP server to ask; empty: this one knows the answer
	tracer trace.Tracer
}

func main() {
	name := flag.String("name", "", "name of the service")
	listen := flag.String("listen", "", "address to serve MCP at")
	next := flag.String("next", "", "URL of the MCP server to ask")
	flag.Parse()
	if err := run(*name, *listen, *next); err != nil {
		log.Fatal(err)
	}
}

func run(name, listen, next string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	provider, err := newProvider(ctx, name)
	if err != nil {
		return err
	}
	defer flush(provider)
	p := &program{name: name, next: next, tracer: provider.Tracer("github.com/otelcol-mcp/otelcol-mcp/test/instrumented")}
	if listen != "" {
		return p.serve(ctx, listen)
	}
	return p.start(ctx)
}

func newProvider(ctx context.Context, name string) (*sdktrace.TracerProvider, error) {
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("OTLP exporter: %w", err)
	}
	service := resource.NewSchemaless(attribute.String("service.name", name))
	return sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(exporter, sdktrace.WithBatchTimeout(100*time.Millisecond)),
		sdktrace.WithResource(service),
	), nil
}

// flush sends what is left, which must not be lost to the signal that ended the program.
func flush(provider *sdktrace.TracerProvider) {
	if err := provider.Shutdown(context.Background()); err != nil {
		log.Print(err)
	}
}

// serve answers until the context ends.
func (p *program) serve(ctx context.Context, address string) error {
	server := mcp.NewServer(&mcp.Implementation{Name: p.name, Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: tool, Description: "Answers a question."}, p.serveTool)
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	web := &http.Server{Addr: address, Handler: handler, ReadHeaderTimeout: time.Minute}
	go func() {
		<-ctx.Done()
		_ = web.Close()
	}()
	if err := web.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// serveTool is the server side of a call: its root span has the value that the
// client sent.
func (p *program) serveTool(ctx context.Context, request *mcp.CallToolRequest, q question) (*mcp.CallToolResult, any, error) {
	id, _ := request.Params.Meta[requestID].(string)
	ctx, root := p.tracer.Start(ctx, "workflow.run",
		trace.WithSpanKind(trace.SpanKindServer),
		trace.WithAttributes(attribute.String(requestID, id)))
	defer root.End()
	text, err := p.find(ctx, q)
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, err
}

// start is a workflow that nobody called for.
func (p *program) start(ctx context.Context) error {
	ctx, root := p.tracer.Start(ctx, "workflow.run")
	defer root.End()
	text, err := p.find(ctx, question{Text: "How are you?"})
	if err != nil {
		return err
	}
	fmt.Println(text)
	return nil
}

func (p *program) find(ctx context.Context, q question) (string, error) {
	if p.next != "" {
		return p.ask(ctx, q)
	}
	_, span := p.tracer.Start(ctx, "think")
	defer span.End()
	return p.name + " is well", nil
}

// ask is the client side of a call: its span has the value that it sends.
func (p *program) ask(ctx context.Context, q question) (string, error) {
	id := rand.Text()
	ctx, span := p.tracer.Start(ctx, "tool.call",
		trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(attribute.String(requestID, id), attribute.String("mcp.tool.name", tool)))
	defer span.End()
	client := mcp.NewClient(&mcp.Implementation{Name: p.name, Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: p.next, DisableStandaloneSSE: true}, nil)
	if err != nil {
		return "", fmt.Errorf("connect to %s: %w", p.next, err)
	}
	defer session.Close()
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Meta: mcp.Meta{requestID: id}, Name: tool, Arguments: q})
	if err != nil {
		return "", fmt.Errorf("ask %s: %w", p.next, err)
	}
	return textOf(result)
}

func textOf(result *mcp.CallToolResult) (string, error) {
	for _, content := range result.Content {
		if text, ok := content.(*mcp.TextContent); ok && !result.IsError {
			return text.Text, nil
		}
	}
	return "", fmt.Errorf("no answer: %v", result.Content)
}
