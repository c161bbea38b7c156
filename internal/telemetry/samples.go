package telemetry

import (
	"cmp"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// wanted selects what is measured.
type wanted struct {
	All       bool // if not, nothing is
	Resources bool // resources are told apart
}

// Samples holds the measurements of one transaction. They count only if it is committed:
// see [Meter.Add].
type Samples struct {
	wanted      wanted
	durations   []durationSample
	utilization []float64 // shares of a context window, of 1
	tokens      []tokenSample
	usage       []usageSample
}

// durationSample is the duration of one call, or of something like it.
type durationSample struct {
	labels  durationLabels
	seconds float64
	trace   identity.TraceID // of the span that it was measured at, zero if there is none
	span    identity.SpanID
}

// durationKind is a kind of duration.
type durationKind uint8

// The measures, in the order in which they are written.
const (
	clientOperation durationKind = iota
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
	usage  store.Usage
	cost   float64
	priced bool // cost is from a price table
}

// tokenSample are tokens that an agent host spent.
type tokenSample struct {
	host   string
	tokens int64
}

// Reset forgets the samples, and keeps their memory. What is not wanted stays none.
func (s *Samples) Reset(want wanted) {
	clear(s.durations)
	clear(s.usage)
	clear(s.tokens)
	s.wanted = want
	s.durations, s.utilization, s.tokens, s.usage = s.durations[:0], s.utilization[:0], s.tokens[:0], s.usage[:0]
}

// next is a new duration, without labels.
func (s *Samples) next(of durationKind, seconds float64) *durationLabels {
	s.durations = append(s.durations, durationSample{labels: durationLabels{of: of}, seconds: seconds})
	return &s.durations[len(s.durations)-1].labels
}

// last is the newest duration.
func (s *Samples) last() *durationSample { return &s.durations[len(s.durations)-1] }

// failed adds how something failed, if it did.
func (l *durationLabels) failed(o *session.Outcome) {
	if o.Failed {
		l.values[labelErrorType] = strings.Clone(o.Type)
	}
}

// Call measures the duration of a call; at is where its server is. An agent's own
// tools are no operations of MCP.
func (s *Samples) Call(e *session.CallEnd, at serverEndpoint) {
	if !s.wanted.All {
		return
	}
	c := e.Call
	switch {
	case !c.OfAgent():
		s.operation(e, at)
	case c.Kind == event.ModelCall:
		s.model(e)
	case c.Kind == event.ToolCall:
		if c.Report != nil && c.Report.Refused { // it did not run
			return
		}
		s.tool(e)
		if !c.OwnTool() {
			s.operation(e, at)
		}
	}
}

// operation measures an operation of MCP. A server's is no error if its client was at
// fault, as in the semantic conventions.
func (s *Samples) operation(e *session.CallEnd, at serverEndpoint) {
	if e.Measured {
		return
	}
	c := e.Call
	of := clientOperation
	if e.Session != nil && e.Session.Inbound() {
		of = serverOperation
	}
	l := s.next(of, callSeconds(e))
	if of == clientOperation || !mcpconv.ClientFault(e.Outcome.RPCCode) {
		l.failed(&e.Outcome)
	}
	s.last().trace, s.last().span = c.Trace, c.Span
	if e.Native != nil {
		s.last().trace, s.last().span = e.Native.Trace, e.Native.Span
	}
	l.values[labelMethod], l.values[labelStatusCode] = c.Method, e.Outcome.RPCCode
	switch {
	case c.IsToolCall():
		l.values[labelOperation], l.values[labelTool] = mcpconv.OperationTool, c.ToolName()
		if of == clientOperation {
			l.values[labelSeenBy] = mcpconv.SeenByWire
			if c.OfAgent() {
				l.values[labelSeenBy] = mcpconv.SeenByAgent
			}
		}
	case c.Kind == event.PromptGet:
		l.values[labelPrompt] = c.Target
	case s.wanted.Resources && (c.Kind == event.ResourceRead || c.Kind == event.OtherCall):
		l.values[labelResource] = c.Target
	}
	if c.Version != "2.0" {
		l.values[labelRPCVersion] = c.Version
	}
	if e.Session != nil {
		l.values[labelProtocol] = e.Session.PeerInfo().Protocol
	}
	l.travel(c.Transport)
	if of == clientOperation {
		l.values[labelClient], l.values[labelServer] = cmp.Or(hostName(e.Session), c.Client), serverLabel(e)
		l.at(at)
	}
}

// serverLabel returns the name of the server that was called, "" if it is not known.
func serverLabel(e *session.CallEnd) string {
	server := ""
	if e.Session != nil && !e.Call.OfAgent() {
		_, server = e.Session.Names()
	}
	return cmp.Or(e.Call.Server, server, e.Peer)
}

// callSeconds returns how long the call took: without the time in which a person was asked,
// if that is known.
func callSeconds(e *session.CallEnd) float64 {
	if ms, ok := toolDuration(e.Use); ok {
		return ms / 1e3
	}
	return float64(e.Time-e.Call.Start) / 1e9
}

// tool measures how long an agent's tool ran.
func (s *Samples) tool(e *session.CallEnd) {
	c := e.Call
	if e.Incomplete {
		return
	}
	l := s.next(executeTool, callSeconds(e))
	l.values[labelTool], l.values[labelToolType], l.values[labelAgent] = c.ToolName(), mcpconv.ToolType(c.OwnTool()), callerName(e.Session, c)
	l.values[labelClient] = cmp.Or(hostName(e.Session), c.Client)
	l.failed(&e.Outcome)
}

// callerName returns the agent that made a call: the coding agent, or the type of its
// sub-agent; "" if that is not known.
func callerName(s *store.SessionRecord, c *store.CallRecord) string {
	if s == nil || c.SubAgent == "" {
		return cmp.Or(c.Client, hostName(s))
	}
	for _, a := range s.Agents {
		if a.ID == c.SubAgent {
			return a.Type
		}
	}
	return ""
}

// model measures a call of a language model.
func (s *Samples) model(e *session.CallEnd) {
	c, m := e.Call, e.Call.Model
	if m == nil || e.Incomplete {
		return
	}
	of := usageLabels{
		host: hostName(e.Session), model: cmp.Or(c.Target, m.Answered), answered: m.Answered,
		provider: modelProvider(c.Target, m.Answered, m.Provider),
	}
	l := s.next(inference, callSeconds(e))
	l.values[labelOperation], l.values[labelModel], l.values[labelAnswered], l.values[labelProvider] = mcpconv.OperationChat, of.model, of.answered, of.provider
	l.failed(&e.Outcome)
	if m.HasUsage || m.HasCost {
		s.usage = append(s.usage, usageSample{of, m.Usage, m.Cost, m.Priced})
		s.Spent(e.Session, store.AddSaturating(m.Usage.Input, m.Usage.Output))
	}
	if m.Window > 0 {
		s.share(float64(m.Usage.Input) / float64(m.Window))
	}
}

// Agent measures how long a sub-agent worked. Its type is a label, its id is none.
func (s *Samples) Agent(e *session.AgentEnd) {
	if !s.wanted.All || e.Incomplete {
		return
	}
	l := s.next(invokeAgent, float64(e.Time-e.Agent.Start)/1e9)
	l.values[labelAgent], l.values[labelModel] = e.Agent.Type, e.Agent.Model
	l.failed(&e.Outcome)
}

// Session measures how long a session of MCP lasted; at is where its server is.
func (s *Samples) Session(e *session.SessionEnd, o *session.Outcome, at serverEndpoint) {
	state := e.Session
	if !s.wanted.All || state.IsHost || state.ACP || state.Inspector && !state.Inbound() {
		return
	}
	of := clientSession
	if state.Inbound() {
		of, at = serverSession, serverEndpoint{}
	}
	l := s.next(of, float64(e.Time-state.Start)/1e9)
	l.values[labelProtocol] = state.PeerInfo().Protocol
	l.travel(state.PeerInfo().Wire.Carrier)
	l.at(at)
	l.failed(o)
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
func (s *Samples) Spent(of *store.SessionRecord, tokens int64) {
	if s.wanted.All && tokens > 0 {
		s.tokens = append(s.tokens, tokenSample{hostName(of), tokens})
	}
}

// hostName is the agent host of a session, as its spans name it; "" if that is
// not known.
func hostName(of *store.SessionRecord) string {
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
	if s.wanted.All && share >= 0 {
		s.utilization = append(s.utilization, share)
	}
}
