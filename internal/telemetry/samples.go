package telemetry

import (
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/emit"
)

// Samples are what one transaction measured. They count only if it is committed:
// see [Meter.Add].
type Samples struct {
	enabled     bool
	calls       []callSample
	utilization []float64 // shares of a context window, of 1
	tokens      int64
}

// callSample is the duration of one call.
type callSample struct {
	labels  callLabels
	seconds float64
}

// callLabels are the attributes of durations; "" is absent.
type callLabels struct{ method, tool, errorType string }

// reset are no samples, in the memory of s.
func (s *Samples) reset() Samples {
	clear(s.calls)
	return Samples{calls: s.calls[:0], utilization: s.utilization[:0]}
}

// call measures the duration of a call. An agent's own tools are no operations
// of MCP.
func (s *Samples) call(e *emit.CallEnd) {
	c := e.Call
	if !s.enabled || c.OwnTool() {
		return
	}
	sample := callSample{labels: callLabels{method: c.Method}, seconds: float64(e.Time-c.Start) / 1e9}
	if isToolCall(c) {
		sample.labels.tool = c.Target
	}
	if ms, ok := toolDuration(e.Use); ok {
		sample.seconds = ms / 1e3
	}
	if e.Outcome.Failed {
		sample.labels.errorType = strings.Clone(e.Outcome.Type)
	}
	s.calls = append(s.calls, sample)
}

// toolDuration is for how many milliseconds a tool ran, if a hook reported that:
// without the time in which a person was asked.
func toolDuration(use *event.ToolUse) (ms float64, ok bool) {
	if use == nil {
		return 0, false
	}
	ms, ok = use.Duration.Float()
	return ms, ok && ms >= 0
}

// spent counts tokens.
func (s *Samples) spent(tokens int64) {
	if s.enabled {
		s.tokens += tokens
	}
}

// contextUsed measures how full a context window is, from the numbers of tokens.
func (s *Samples) contextUsed(used, limit event.JSON) {
	u, hasUsed := used.Int()
	l, hasLimit := limit.Int()
	if hasUsed && hasLimit && l > 0 {
		s.share(float64(u) / float64(l))
	}
}

// pressure measures the same, as the host reports it in percent.
func (s *Samples) pressure(percent event.JSON) {
	if p, ok := percent.Float(); ok {
		s.share(p / 100)
	}
}

func (s *Samples) share(share float64) {
	if s.enabled && share >= 0 {
		s.utilization = append(s.utilization, share)
	}
}
