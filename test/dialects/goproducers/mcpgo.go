package main

import (
	"context"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/mark3labs/mcp-go/tracing"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/trace"
	oteltrace "go.opentelemetry.io/otel/trace"
)

// runMCPGo lets a client of mcp-go call a server of mcp-go.
func runMCPGo(ctx context.Context, provider *trace.TracerProvider) error {
	tracer := adapter{provider.Tracer("mcp-program")}
	s := server.NewMCPServer("weather-server", "1.0.0", server.WithTracer(tracer))
	s.AddTool(mcp.NewTool("weather", mcp.WithString("city")), func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if r.GetString("city", "") != "Oslo" {
			return mcp.NewToolResultError("no such city"), nil
		}
		return mcp.NewToolResultText("21 °C"), nil
	})
	c := client.NewClient(transport.NewInProcessTransport(s), client.WithTracer(tracer))
	if err := c.Start(ctx); err != nil {
		return err
	}
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	hello.Params.ClientInfo = mcp.Implementation{Name: "weather-agent", Version: "1.0.0"}
	if _, err := c.Initialize(ctx, hello); err != nil {
		return err
	}
	if _, err := c.ListTools(ctx, mcp.ListToolsRequest{}); err != nil {
		return err
	}
	for _, city := range []string{"Oslo", "Nowhere"} {
		var call mcp.CallToolRequest
		call.Params.Name, call.Params.Arguments = "weather", map[string]any{"city": city}
		if _, err := c.CallTool(ctx, call); err != nil {
			return err
		}
	}
	var unknown mcp.CallToolRequest
	unknown.Params.Name = "forecast"
	_, _ = c.CallTool(ctx, unknown)
	return c.Close()
}

// adapter is OpenTelemetry behind mcp-go's interface of a tracer. It is the test's own:
// that of mcp-go is a module of its own that the Go module proxy does not have.
type adapter struct{ tracer oteltrace.Tracer }

var kinds = map[tracing.SpanKind]oteltrace.SpanKind{
	tracing.SpanKindServer: oteltrace.SpanKindServer, tracing.SpanKindClient: oteltrace.SpanKindClient, tracing.SpanKindInternal: oteltrace.SpanKindInternal,
}

func (a adapter) Start(ctx context.Context, name string, kind tracing.SpanKind, attrs ...tracing.Attribute) (context.Context, tracing.Span) {
	ctx, span := a.tracer.Start(ctx, name, oteltrace.WithSpanKind(kinds[kind]))
	adapted := adaptedSpan{span}
	adapted.SetAttributes(attrs...)
	return tracing.ContextWithSpan(ctx, adapted), adapted
}

type adaptedSpan struct{ span oteltrace.Span }

func (s adaptedSpan) SetAttributes(attrs ...tracing.Attribute) {
	for _, a := range attrs {
		s.span.SetAttributes(attribute.String(a.Key, a.Value))
	}
}

func (s adaptedSpan) RecordError(err error) { s.span.RecordError(err) }

func (s adaptedSpan) SetStatus(code tracing.StatusCode, text string) {
	s.span.SetStatus(map[tracing.StatusCode]codes.Code{tracing.StatusError: codes.Error, tracing.StatusOK: codes.Ok}[code], text)
}

func (s adaptedSpan) End() { s.span.End() }
