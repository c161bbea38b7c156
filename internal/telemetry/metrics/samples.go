package metrics

import (
	"cmp"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/emit"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/state"
)

// Samples are what one transaction measured. They count only if it is committed:
// see [Meter.Add].
type Samples struct {
	enabled     bool
	calls       []callSample
	utilization []float64 // shares of a context window, of 1
	tokens      []tokenSample
	usage       []usageSample
}

// callSample is the duration of one call, or of something like it.
type callSample struct {
	labels  callLabels
	seconds float64
}

// callLabels are the attributes of a duration; "" is absent.
type callLabels struct {
	of        measure
	method    string // of a session the protocol's revision
	tool      string // of a call of an agent the sub-agent
	errorType string
	model     string
	provider  string
}

// measure is what a duration is of.
type measure uint8

// The measures, in the order in which they are written.
const (
	clientOperation measure = iota
	serverOperation
	inference
	executeTool
	invokeAgent
	clientSession
	serverSession
)

// usageSample are the tokens and the cost of one call of a model.
type usageSample struct {
	usageLabels
	usage state.Usage
	cost  float64
}

// tokenSample are tokens that an agent host spent.
type tokenSample struct {
	host   string
	tokens int64
}

// Reset forgets the samples, and keeps their memory. Disabled ones stay none.
func (s *Samples) Reset(enabled bool) {
	clear(s.calls)
	clear(s.usage)
	clear(s.tokens)
	*s = Samples{
		enabled: enabled, calls: s.calls[:0], utilization: s.utilization[:0], tokens: s.tokens[:0], usage: s.usage[:0],
	}
}

// Call measures the duration of a call. An agent's own tools are no operations
// of MCP.
func (s *Samples) Call(e *emit.CallEnd) {
	if !s.enabled {
		return
	}
	c := e.Call
	switch {
	case !c.OfAgent():
		s.operation(e)
	case c.Kind == event.ModelCall:
		s.model(e)
	case c.Kind == event.ToolCall:
		if c.Report != nil && c.Report.Refused { // it did not run
			return
		}
		s.tool(e)
		if !c.OwnTool() {
			s.operation(e)
		}
	}
}

// operation measures an operation of MCP.
func (s *Samples) operation(e *emit.CallEnd) {
	c := e.Call
	sample := callSample{labels: callLabels{method: c.Method}, seconds: seconds(e)}
	if e.Session != nil && e.Session.Inbound() {
		sample.labels.of = serverOperation
	}
	if c.IsToolCall() {
		sample.labels.tool = c.ToolName()
	}
	if e.Outcome.Failed {
		sample.labels.errorType = strings.Clone(e.Outcome.Type)
	}
	s.calls = append(s.calls, sample)
}

// seconds is how long the call took: without the time in which a person was asked,
// if that is known.
func seconds(e *emit.CallEnd) float64 {
	if ms, ok := toolDuration(e.Use); ok {
		return ms / 1e3
	}
	return float64(e.Time-e.Call.Start) / 1e9
}

// tool measures how long an agent's tool ran.
func (s *Samples) tool(e *emit.CallEnd) {
	c := e.Call
	if e.Incomplete {
		return
	}
	l := callLabels{of: executeTool, tool: c.ToolName()}
	if e.Outcome.Failed {
		l.errorType = strings.Clone(e.Outcome.Type)
	}
	s.calls = append(s.calls, callSample{l, seconds(e)})
}

// model measures a call of a language model.
func (s *Samples) model(e *emit.CallEnd) {
	c, m := e.Call, e.Call.Model
	if m == nil || e.Incomplete {
		return
	}
	l := callLabels{of: inference, method: "chat", model: cmp.Or(m.Answered, c.Target), provider: m.Provider}
	if e.Outcome.Failed {
		l.errorType = strings.Clone(e.Outcome.Type)
	}
	s.calls = append(s.calls, callSample{l, seconds(e)})
	if m.HasUsage || m.HasCost {
		s.usage = append(s.usage, usageSample{usageLabels{hostName(e.Session), l.model, l.provider}, m.Usage, m.Cost})
		s.Spent(e.Session, state.Sum(m.Usage.Input, m.Usage.Output))
	}
	if m.Window > 0 {
		s.share(float64(m.Usage.Input) / float64(m.Window))
	}
}

// Agent measures how long a sub-agent worked. Its type is a label, its id is none.
func (s *Samples) Agent(e *emit.AgentEnd) {
	if !s.enabled || e.Incomplete {
		return
	}
	l := callLabels{of: invokeAgent, tool: e.Agent.Type, model: e.Agent.Model}
	if e.Outcome.Failed {
		l.errorType = strings.Clone(e.Outcome.Type)
	}
	s.calls = append(s.calls, callSample{l, float64(e.Time-e.Agent.Start) / 1e9})
}

// Session measures how long a session of MCP lasted.
func (s *Samples) Session(e *emit.SessionEnd, o *emit.Outcome) {
	state := e.Session
	if !s.enabled || state.IsHost || state.ACP || state.Inspector && !state.Inbound() {
		return
	}
	l := callLabels{of: clientSession, method: state.PeerInfo().Protocol, errorType: o.Type}
	if state.Inbound() {
		l.of = serverSession
	}
	s.calls = append(s.calls, callSample{l, float64(e.Time-state.Start) / 1e9})
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

// Spent counts tokens of a session's host; of may be nil.
func (s *Samples) Spent(of *state.Session, tokens int64) {
	if s.enabled && tokens > 0 {
		s.tokens = append(s.tokens, tokenSample{hostName(of), tokens})
	}
}

// hostName is the agent host of a session, as its spans name it; "" if that is
// not known.
func hostName(of *state.Session) string {
	if of == nil {
		return ""
	}
	client, _ := of.Names()
	return client
}

// ContextUsed measures how full a context window is, from the numbers of tokens.
func (s *Samples) ContextUsed(used, limit event.JSON) {
	u, hasUsed := used.Int()
	l, hasLimit := limit.Int()
	if hasUsed && hasLimit && l > 0 {
		s.share(float64(u) / float64(l))
	}
}

// Pressure measures the same, as the host reports it in percent.
func (s *Samples) Pressure(percent event.JSON) {
	if p, ok := percent.Float(); ok {
		s.share(p / 100)
	}
}

func (s *Samples) share(share float64) {
	if s.enabled && share >= 0 {
		s.utilization = append(s.utilization, share)
	}
}
