package main

// reasons are why fixtures of a dialect are written from source facts.
var reasons = map[string]string{
	"claude_code":   "`test/agents` runs the program itself",
	"codex":         "`test/agents` runs the program itself",
	"gemini_cli":    "`test/agents` runs the program itself",
	"copilot":       "`test/agents` runs the program itself",
	"openinference": "the kinds that the recordings do not have",
	"openllmetry":   "Python, and versions before 0.50",
	"langfuse":      "the types that the recording does not have",
	"adk":           "Python",
	"vercel":        "the operations that the recording does not have",
	"spring_ai":     "Java",
	"mastra":        "the exporter before 1.4, and MCP",
	"fastmcp":       "Python",
	"csharp_sdk":    ".NET",
	"python_sdk":    "Python",
	"logfire":       "Python",
	"envoy":         "a gateway that runs in Kubernetes",
	"toolhive":      "a gateway that runs servers in containers",
	"agentgateway":  "a gateway in Rust",
	"inspector":     "Python",
	"semconv":       "no producer, but former names of many",
}

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
