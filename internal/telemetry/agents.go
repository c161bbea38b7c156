package telemetry

import (
	"cmp"
	"strings"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// AgentStarted adds the marker of a sub-agent.
func (b *Batch) AgentStarted(s *store.SessionRecord, g *store.Agent, marker identity.SpanID) {
	span := b.out.span(g.Sender, serviceName(true))
	b.around(place{g.Trace, marker, g.Span, g.Start, g.Start}).set(span)
	span.SetName(mcpconv.SpanAgentStart)
	writeAgent(&b.attrs, s, g)
	b.attrs.text(mcpconv.AgentName, agentName(g))
	b.attrs.str(mcpconv.Invalid, g.Invalid)
	b.finish(span, &session.Outcome{})
	b.out.echo(span, entry{name: mcpconv.SpanAgentStart, span: g.Span})
}

// AgentEnded adds the span of a sub-agent.
func (b *Batch) AgentEnded(e *session.AgentEnd) {
	g, a := e.Agent, &b.attrs
	if e.Duplicate.IsZero() {
		b.samples.Agent(e)
	}
	if e.Native != nil {
		writeAgent(a, e.Session, g)
		writeAgentOperation(a, e.Session, g)
		a.flag(mcpconv.FactLate, e.Late)
		writeDuplicate(a, e.Duplicate)
		if g.Seen {
			writeAnnounced(a, g.Span, e.Native.Span)
		}
		b.native(e.Native, &session.CallEnd{Session: e.Session}, &e.Outcome)
		return
	}
	span := b.out.span(g.Sender, serviceName(true))
	b.around(place{g.Trace, g.Span, g.Parent, g.Start, e.Time}).set(span)
	span.SetName(agentSpan(b.opt, g))
	addLink(span, g.Context)
	if e.Context != g.Context {
		addLink(span, e.Context)
	}
	addLink(span, g.Link)
	if g.Seen {
		addLifeEvent(b.opt, span, mcpconv.EventSpawned, g.Start, g.Spawned)
	}
	writeAgent(a, e.Session, g)
	writeAgentOperation(a, e.Session, g)
	if c := e.Completed; c != nil {
		addLifeEvent(b.opt, span, mcpconv.EventCompleted, e.Time, strings.Clone(e.Params))
		a.textCopy(mcpconv.AgentOutcome, c.Outcome.Str())
		a.jsonFloat(mcpconv.AgentDuration, c.Duration)
		a.jsonInt(mcpconv.AgentTokens, c.Tokens)
	}
	a.flag(mcpconv.Incomplete, e.Incomplete)
	a.flag(mcpconv.FactLate, e.Late)
	writeDuplicate(a, e.Duplicate)
	a.str(mcpconv.Invalid, strings.Clone(e.Invalid))
	b.finish(span, &e.Outcome)
}

// writeDuplicate writes under which span the same left before, if it did.
func writeDuplicate(a *attrs, first identity.SpanID) {
	if !first.IsZero() {
		a.str(mcpconv.DuplicateOf, first.String())
	}
}

// writeAnnounced writes as which span the start of something was reported that leaves
// as another one, so that who saw the start knows what ended.
func writeAnnounced(a *attrs, announced, span identity.SpanID) {
	if !announced.IsZero() && announced != span {
		a.str(mcpconv.AnnouncedAs, announced.String())
	}
}

// agentSpan is the Inspector's span name, or that of the semantic conventions.
func agentSpan(opt *Options, g *store.Agent) string {
	if !opt.SemconvNames {
		return mcpconv.SpanAgent
	}
	return strings.TrimRight(mcpconv.OperationAgent+" "+jsonscan.Cut(agentName(g), opt.TextBytes), " ")
}

// agentName returns the sub-agent's type, else its id.
func agentName(g *store.Agent) string { return cmp.Or(g.Type, g.ID) }

// writeAgent writes what a sub-agent's marker and span have in common.
func writeAgent(a *attrs, s *store.SessionRecord, g *store.Agent) {
	a.begin(noticeCapacity)
	a.session(s)
	a.inspector(mcpconv.AgentID, g.ID)
	a.payloadText(mcpconv.AgentTask, g.Task)
	a.inspector(mcpconv.AgentModel, g.Model)
}

// writeAgentOperation writes what only a sub-agent's span has.
func writeAgentOperation(a *attrs, s *store.SessionRecord, g *store.Agent) {
	a.operation(mcpconv.OperationAgent, s)
	a.names(mcpconv.AgentName, mcpconv.GenAIAgentName, agentName(g))
	a.otel(mcpconv.GenAIRequestModel, g.Model)
}

// addLifeEvent adds a span event of a sub-agent; at is Unix ns, params JSON.
func addLifeEvent(opt *Options, span ptrace.Span, name string, at int64, params string) {
	to := span.Events().AppendEmpty()
	to.SetName(name)
	to.SetTimestamp(timestamp(at))
	if opt.Payloads && params != "" {
		to.Attributes().PutStr(mcpconv.NoticeParams, params)
	}
}
