// Package stitch joins the trace of a server to the call of its client, where
// both carry the same value of a stitch key.
//
// A [Stitcher] is the consumer (stitcher.go). It reads what each span means
// (span.go), lets the mode decide what becomes of it (mode.go; linkmode.go,
// rewritemode.go), and keeps the spans that have to wait, within a quota (quota.go).
// What both modes know, and which span gets a link, is in the ledger (ledger.go);
// edits.go adds it, and rewrites spans. Claims, roots and decisions are in the index
// of this process (index.go, ttlmap.go), or in the one that all replicas share
// (redis.go), which replicas.go asks and whose answers are handled in answers.go. The
// traces that wait in rewrite mode are in window.go and batch.go, their fate in
// traces.go, join.go, resolve.go and expire.go. What the next consumer refuses is in
// retryqueue.go.
package stitch // import "github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/stitch"
