// Package index keeps which client claimed a value, which server roots left
// without a client, and where each trace went. [Memory] is the index of this
// process; [Redis] is the one that all replicas share.
package index // import "github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/index"
