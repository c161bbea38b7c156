// Package window keeps spans by trace while they wait, within time limits. It does
// not know why they wait. Nothing here starts a goroutine, keeps a timer or reads
// a clock: times are nanoseconds of the caller's clock, which must not run
// backwards. Nothing is safe for concurrent use.
package window // import "github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/window"
