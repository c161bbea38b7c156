// Package index remembers who claimed which value, which roots nobody claimed
// in time and what became of each trace. [Memory] is what this process knows;
// [Redis] is what all replicas know together.
package index // import "github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/index"
