package correlate_test

import (
	"fmt"
	"maps"

	"github.com/otelcol-mcp/otelcol-mcp/internal/correlate"
)

// An engine keeps one set a session and adds a report for each event. What the report
// changed decides what is counted, shown and amended.
func Example() {
	const ms = int64(1e6)
	session := &correlate.Set{}
	call := correlate.NewID(correlate.CallID, "toolu_1")
	var start, end correlate.Report
	start.Source, start.Kind, start.Stage = correlate.Hook, correlate.ToolCall, correlate.Begin
	start.IDs[0], start.Name, start.Start = call, "mcp__files__read", 1000*ms
	end.Source, end.Kind, end.Outcome = correlate.Log, correlate.ToolCall, correlate.Failed
	end.IDs[0], end.Name, end.Start, end.End, end.Text = call, "read", 1001*ms, 1500*ms, "no such file"

	for _, report := range []*correlate.Report{&start, &end, &end} {
		switch c := session.Add(report); c.Status {
		case correlate.New:
			f, _ := session.Get(c.Fact)
			fmt.Println("count and show", f.Name, "open:", f.Open())
		case correlate.Merged, correlate.Amended:
			f, _ := session.Get(c.Fact)
			fmt.Println("update", f.Name, "failed:", f.Outcome == correlate.Failed, "ms:", (f.End-f.Start)/ms)
			for _, gone := range c.Gone {
				fmt.Println("one less:", gone)
			}
		case correlate.Repeated:
			fmt.Println("nothing new")
		}
	}
	source, settled := correlate.SpanSource(session.Seen(), 0)
	fmt.Println("spans by hooks:", source == correlate.Hook, "settled:", settled)

	// What changed is stored with the session's transaction.
	disk := map[uint32][]byte{}
	_ = session.Changed(func(chunk uint32, record []byte) error {
		disk[chunk] = record
		return nil
	})
	restored, _ := correlate.Restore(session.Head(), maps.All(disk))
	t := restored.Totals()
	fmt.Println("tool calls:", t.ToolCalls, "errors:", t.Errors, "last:", t.LastError)
	// Output:
	// count and show mcp__files__read open: true
	// update mcp__files__read failed: true ms: 500
	// nothing new
	// spans by hooks: true settled: false
	// tool calls: 1 errors: 1 last: no such file
}
