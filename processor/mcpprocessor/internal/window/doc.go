// Package window holds spans that wait, by trace, within time limits. It knows
// nothing about why they wait. Nothing here starts a goroutine, keeps a timer or
// reads a clock: times are nanoseconds of whatever clock the caller has, which
// must not run backwards. Nothing is safe for concurrent use.
package window // import "github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/window"
