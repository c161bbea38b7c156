package telemetry

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// AgentStarted adds the marker of a sub-agent.
func (b *Batch) AgentStarted(s *session.Session, g *session.Agent, marker identity.SpanID) {
	span := b.span(g.Sender, defaultName(true))
	fill(span, place{g.Trace, marker, g.Span, g.Start, g.Start})
	span.SetName(mcpconv.SpanAgentStart)
	b.agent(s, g)
	b.attrs.str(mcpconv.Invalid, g.Invalid)
	b.conclude(span, &session.Outcome{})
	b.echo(span, entry{name: mcpconv.SpanAgentStart, span: g.Span})
}

// AgentEnded adds the span of a sub-agent.
func (b *Batch) AgentEnded(e *session.AgentEnd) {
	g := e.Agent
	span := b.span(g.Sender, defaultName(true))
	fill(span, place{g.Trace, g.Span, g.Parent, g.Start, e.Time})
	span.SetName(b.agentName(g))
	link(span, g.Context)
	if e.Context != g.Context {
		link(span, e.Context)
	}
	link(span, g.Link)
	if g.Seen() {
		b.lifeEvent(span, mcpconv.EventSpawned, g.Start, g.Spawned)
	}
	b.agent(e.Session, g)
	a := &b.attrs
	if c := e.Completed; c != nil {
		b.lifeEvent(span, mcpconv.EventCompleted, e.Time, strings.Clone(e.Params))
		a.str(mcpconv.AgentOutcome, a.text(c.Outcome.Str()))
		a.double(mcpconv.AgentDuration, c.Duration)
		a.number(mcpconv.AgentTokens, e.Tokens)
	}
	a.yes(mcpconv.Incomplete, e.Incomplete)
	a.str(mcpconv.Invalid, strings.Clone(e.Invalid))
	b.conclude(span, &e.Outcome)
}

// agentName is the Inspector's name, or that of the semantic conventions.
func (b *Batch) agentName(g *session.Agent) string {
	if b.opt.Inspector {
		return mcpconv.SpanAgent
	}
	return strings.TrimRight(mcpconv.OperationAgent+" "+nameOf(g), " ")
}

// nameOf is what the sub-agent is called: what it is for, else its id.
func nameOf(g *session.Agent) string {
	if g.Type != "" {
		return g.Type
	}
	return g.ID
}

func (b *Batch) agent(s *session.Session, g *session.Agent) {
	a := &b.attrs
	a.begin(roomOfNotice)
	a.session(s)
	a.otel(mcpconv.GenAIOperation, mcpconv.OperationAgent)
	a.inspector(mcpconv.AgentName, nameOf(g))
	a.otel(mcpconv.GenAIAgentName, nameOf(g))
	a.inspector(mcpconv.AgentID, g.ID)
	a.otel(mcpconv.GenAIAgentID, g.ID)
	a.payload(mcpconv.AgentTask, g.Task)
	a.inspector(mcpconv.AgentModel, g.Model)
	a.otel(mcpconv.GenAIRequestModel, g.Model)
}

func (b *Batch) lifeEvent(span ptrace.Span, name string, at int64, params string) {
	event := span.Events().AppendEmpty()
	event.SetName(name)
	event.SetTimestamp(pcommon.Timestamp(at)) //nolint:gosec // message times are positive
	if b.opt.Payloads && params != "" {
		event.Attributes().PutStr(mcpconv.NoticeParams, params)
	}
}
