package telemetry

import (
	"strings"
	"unicode"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// engineInbound marks the session of a server that another agent called.
const engineInbound = "inbound"

// serviceOf names the service of a session's own spans.
func serviceOf(s *session.Session) (name, otherwise string) {
	if s.Inspector {
		return inspectorName, ""
	}
	client, _ := s.Names()
	return client, defaultName(true)
}

// SessionStarted adds the marker of a session.
func (b *Batch) SessionStarted(s *session.Session, marker identity.SpanID) {
	span := b.span(serviceOf(s))
	fill(span, place{s.Trace, marker, s.Root, s.Start, s.Start})
	span.SetName(mcpconv.SpanSessionStart)
	b.session(s)
	b.conclude(span, &session.Outcome{})
	b.echo(span, entry{name: mcpconv.SpanSessionStart, span: s.Root})
}

// SessionEnded adds the summary and the root.
func (b *Batch) SessionEnded(e *session.SessionEnd) {
	b.summary(e)
	b.root(e)
}

func (b *Batch) root(e *session.SessionEnd) {
	s := e.Session
	span := b.span(serviceOf(s))
	fill(span, place{s.Trace, s.Root, identity.SpanID{}, s.Start, e.Time})
	span.SetName(b.rootName(s))
	if s.Engine == engineInbound {
		span.SetKind(ptrace.SpanKindServer)
	}
	if s.Roots != nil {
		link(span, s.Roots.Former)
	}
	link(span, e.Host)
	if s.Roots != nil {
		link(span, s.Roots.File)
	}
	b.session(s)
	a := &b.attrs
	a.str(mcpconv.SessionEndReason, e.Reason)
	a.str(mcpconv.TransportStatus, s.TransportStatus)
	if s.Reconnects > 0 {
		a.int(mcpconv.ReconnectCount, int64(s.Reconnects))
	}
	if s.Exit != nil {
		a.int(mcpconv.ExitCode, *s.Exit)
	}
	outcome := outcomeOf(s)
	b.conclude(span, &outcome)
	end := entry{name: mcpconv.LogSessionEnd, span: s.Root, at: e.Time}
	if outcome.Failed {
		end.severity = plog.SeverityNumberError
	}
	b.echo(span, end)
}

func (b *Batch) rootName(s *session.Session) string {
	if b.opt.Inspector {
		return mcpconv.SpanWorkflow
	}
	return mcpconv.OperationWorkflow + " " + workflowType(s)
}

// outcomeOf is how the session ended; failed is worse than cancelled.
func outcomeOf(s *session.Session) session.Outcome {
	switch {
	case s.Failed:
		return session.Outcome{
			Failed: true, Code: mcpconv.CodeServerError, Type: mcpconv.TypeOther, Message: s.ErrorText,
		}
	case s.Cancelled:
		return session.Outcome{
			Failed: true, Code: mcpconv.CodeCancelled, Type: mcpconv.TypeCancelled, Message: s.ErrorText,
		}
	}
	return session.Outcome{}
}

// session writes what a session's marker and root have in common.
func (b *Batch) session(s *session.Session) {
	a := &b.attrs
	a.begin(roomOfSession)
	a.session(s)
	kind := workflowType(s)
	a.inspector(mcpconv.WorkflowType, kind)
	a.str(mcpconv.WorkflowEngine, s.Engine)
	a.yes(mcpconv.SessionDerived, s.Derived)
	a.payload(mcpconv.SessionTitle, s.Title)
	a.payload(mcpconv.WorkflowInput, s.FirstPrompt())
	a.otel(mcpconv.GenAIOperation, mcpconv.OperationWorkflow)
	a.otel(mcpconv.GenAIWorkflow, kind)
	if s.Engine == engineInbound {
		a.str(mcpconv.RequestID, s.ID)
	}
	client, server := s.Peers()
	a.str(mcpconv.ClientName, client)
	a.str(mcpconv.ClientVersion, s.Said().Client.Version)
	a.str(mcpconv.ServerName, server)
	a.str(mcpconv.ServerVersion, s.Said().Server.Version)
	a.otel(mcpconv.ProtocolVersion, s.Said().Protocol)
	a.str(mcpconv.Invalid, strings.Clone(s.Invalid))
}

func workflowType(s *session.Session) string {
	switch {
	case s.Inspector:
		return snakeCase(s.Title)
	case s.Host:
		return mcpconv.WorkflowHost
	case s.ACP:
		return mcpconv.WorkflowACP
	}
	return mcpconv.WorkflowMCP
}

// identifierMax is how long a class name may be: a title is payload, and only an
// identifier is taken for a name.
const identifierMax = 64

// snakeCase is the title if it is one identifier, as a class name is, in snake
// case, else "unknown".
func snakeCase(title string) string {
	var b strings.Builder
	runes := []rune(title)
	if len(runes) > identifierMax {
		return mcpconv.WorkflowUnknown
	}
	for i, r := range runes {
		switch {
		case r > unicode.MaxASCII: // a sentence of some scripts has no spaces
			return mcpconv.WorkflowUnknown
		case r == '_', unicode.IsLetter(r), i > 0 && unicode.IsDigit(r):
		default:
			return mcpconv.WorkflowUnknown
		}
		if unicode.IsUpper(r) && i > 0 && startsWord(runes, i) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	if b.Len() == 0 {
		return mcpconv.WorkflowUnknown
	}
	return b.String()
}

// startsWord tells whether the capital at i begins a word: LLMRouter is
// llm_router, EvaluatorOptimizer evaluator_optimizer.
func startsWord(runes []rune, i int) bool {
	before := runes[i-1]
	if before == '_' {
		return false
	}
	return !unicode.IsUpper(before) || i+1 < len(runes) && unicode.IsLower(runes[i+1])
}

func (b *Batch) summary(e *session.SessionEnd) {
	s := e.Session
	span := b.span(serviceOf(s))
	fill(span, place{s.Trace, e.Summary, s.Root, e.Time, e.Time})
	span.SetName(mcpconv.SpanSummary)
	a := &b.attrs
	a.begin(roomOfSession)
	a.session(s)
	u := s.Totals()
	a.int(mcpconv.SummaryLLM, u.LLMCalls)
	a.int(mcpconv.SummaryTokens, u.Tokens)
	a.int(mcpconv.SummaryTools, u.ToolCalls)
	a.int(mcpconv.SummaryResources, int64(u.Resources))
	a.int(mcpconv.SummaryPrompts, int64(u.Prompts))
	a.int(mcpconv.SummaryAgents, u.Agents)
	a.int(mcpconv.SummaryNotices, u.Notices)
	a.int(mcpconv.SummaryErrors, u.Errors)
	a.int(mcpconv.SummaryWaiting, u.WaitingNs/1_000_000)
	b.conclude(span, &session.Outcome{})
}
