//go:generate go tool mdatagen metadata.yaml

// Package memorylimiter is the collector's memory_limiter extension, which as a
// middleware also refuses what takes more memory than it looks like, before it does.
//
// Protobuf that is nested deeply: decoders of OTLP call themselves for each value
// within a value (open-telemetry/opentelemetry-collector#15301), so that 18 MB, or 6
// MB with gzip, take more stack than Go grants, which ends the process and which
// nothing can recover from.
//
// Many bodies at once: receivers read each of them as a whole, and 19 kB with gzip
// are 19 MB. A body that comes in slowly keeps its room only while nobody wants it.
package memorylimiter // import "github.com/otelcol-mcp/otelcol-mcp/extension/memorylimiter"
