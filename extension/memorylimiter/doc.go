// Package memorylimiter is the collector's memory_limiter extension, which as a
// middleware also refuses protobuf that is nested too deeply: decoding it would
// end the process. Decoders of OTLP call themselves for each value within a value
// (open-telemetry/opentelemetry-collector#15301), so that 18 MB, or a few kB with
// compression, take more stack than Go grants, which nothing can recover from.
package memorylimiter // import "github.com/otelcol-mcp/otelcol-mcp/extension/memorylimiter"
