package main

// absent are programs that were tried, and why there is no recording of them.
var absent = []struct{ producer, why string }{
	{"`@modelcontextprotocol/sdk` 1.32.2", "It writes no telemetry. It is recorded with OpenLLMetry's instrumentation."},
	{"`github.com/modelcontextprotocol/go-sdk` 1.8.0", "It writes no telemetry."},
	{"`github.com/mark3labs/mcp-go/otel`", "The Go module proxy has no such module (404). mcp-go itself is recorded, with an adapter of the test's own."},
	{"`google.golang.org/adk`, `google.golang.org/adk/v2`", "The Go module proxy does not give it out (403, \"This module version is not available\")."},
	{"`@openai/agents` 0.20.0", "It writes no OTLP of its own. It is recorded with OpenInference's instrumentation."},
	{"`@langchain/core`, `@langchain/langgraph` 1.7.3", "They write no OTLP of their own. They are recorded with the instrumentations of OpenInference and OpenLLMetry. The OpenTelemetry mode of `langsmith` 0.12.0 makes no spans for the runs of a graph."},
	{"`@arizeai/openinference-instrumentation-mcp` 0.2.33", "It carries the context of a trace, and writes no spans."},
}
