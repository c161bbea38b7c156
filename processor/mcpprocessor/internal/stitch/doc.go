// Package stitch joins the trace of a server to the call of its client, where
// both carry the same value of a stitch key.
//
// A [Stitcher] is the consumer (stitcher.go). It reads what each span means
// (span.go), lets the mode decide what becomes of it (mode.go; link.go,
// rewrite.go), and keeps the spans that have to wait, within a quota (quota.go).
// What both modes know, and which span gets a link, is in the ledger (ledger.go);
// links.go adds it, and rewrites spans. The traces that wait in rewrite mode are in
// traces.go, join.go, resolve.go and expire.go. The shared index of the replicas is
// asked in replicas.go, and its answers are handled in answers.go; what the next
// consumer refuses is in retryqueue.go. The traces that wait are in window.go, the
// batches that they came in in batch.go.
package stitch // import "github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/stitch"
