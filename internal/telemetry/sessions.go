package telemetry

import (
	"strings"
	"unicode"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// serviceOf is the sender of a session's own spans, and its fallback.
func serviceOf(s *store.SessionRecord) (sender, fallback string) {
	if s.Inspector {
		return inspectorName, ""
	}
	client, _ := s.Names()
	if s.ACP {
		return client, mcpconv.ACPClient
	}
	return client, serviceName(true)
}

// SessionStarted adds the marker of a session. That of a trace needs none: the trace has a
// root.
func (b *Batch) SessionStarted(s *store.SessionRecord, marker identity.SpanID) {
	if s.OfTrace() {
		return
	}
	span := b.out.span(serviceOf(s))
	place{s.Trace, marker, s.Root, s.Start, s.Start}.set(span)
	span.SetName(mcpconv.SpanSessionStart)
	writeSession(&b.attrs, s)
	b.finish(span, &session.Outcome{})
	b.out.echo(span, entry{name: mcpconv.SpanSessionStart, span: s.Root})
}

// SessionEnded adds the summary and the root, behind all other spans of the batch.
func (b *Batch) SessionEnded(e *session.SessionEnd) {
	outcome := e.Outcome()
	b.samples.Amended(e.Session, &e.News)
	b.samples.Session(e, &outcome, b.attrs.servers.Of(e.Session.PeerInfo().Wire.Server))
	if e.Session.OfTrace() {
		return
	}
	b.out.ending = true
	b.summary(e)
	b.root(e, &outcome)
	b.out.ending = false
}

func (b *Batch) root(e *session.SessionEnd, outcome *session.Outcome) {
	s, a := e.Session, &b.attrs
	span := b.out.span(serviceOf(s))
	place{s.Trace, s.Root, identity.SpanID{}, s.Start, e.Time + 2}.set(span) // after the summary
	span.SetName(rootName(b.opt, s))
	if s.Inbound() {
		span.SetKind(ptrace.SpanKindServer)
	}
	if s.Roots != nil {
		addLink(span, s.Roots.Former)
	}
	addLink(span, e.Host)
	if s.Roots != nil {
		addLink(span, s.Roots.File)
	}
	writeSession(a, s)
	a.operation(mcpconv.OperationWorkflow, s)
	a.otel(mcpconv.GenAIWorkflow, workflowName(s))
	if e.Parent != nil {
		addLink(span, identity.Context{Trace: e.Parent.Trace, Span: e.Parent.Root})
		a.str(mcpconv.SessionPartOf, e.Parent.ID)
	}
	if more := s.Extra; more != nil {
		a.payload(mcpconv.NoticeParams, more.Members)
		a.flag(mcpconv.NoticeParams+mcpconv.TruncatedSuffix, more.MembersCut)
	}
	a.str(mcpconv.SessionEndReason, e.Reason)
	a.str(mcpconv.TransportStatus, s.TransportStatus)
	if s.Reconnects > 0 {
		a.int(mcpconv.ReconnectCount, int64(s.Reconnects))
	}
	if s.LostRecords > 0 {
		a.int(mcpconv.TapDropped, int64(s.LostRecords))
	}
	if s.Exit != nil {
		a.int(mcpconv.ExitCode, *s.Exit)
	}
	if s.Agent != nil {
		a.payload(mcpconv.WorkflowOutput, s.Agent.Output)
		writeWork(a, &e.Totals)
	}
	b.finish(span, outcome)
	end := entry{name: mcpconv.LogSessionEnd, span: s.Root, at: e.Time}
	if outcome.Failed {
		end.severity = plog.SeverityNumberError
	}
	b.out.echo(span, end)
}

// writeSession writes what a session's marker and root have in common.
func writeSession(a *attrs, s *store.SessionRecord) {
	a.begin(sessionCapacity)
	a.session(s)
	a.inspector(mcpconv.WorkflowType, workflowType(s))
	a.str(mcpconv.WorkflowEngine, s.Engine)
	a.flag(mcpconv.SessionDerived, s.Derived)
	a.payloadText(mcpconv.SessionTitle, titleOf(s))
	a.payload(mcpconv.WorkflowInput, s.FirstPrompt())
	writePlace(a, s)
	if s.Inbound() {
		a.str(mcpconv.RequestID, s.ID)
	}
	client, server := s.Peers()
	info := s.PeerInfo()
	switch {
	case s.Agent != nil:
		writeSources(a, s.Sources())
	case len(s.Carried) > 0 && !s.ACP: // an agent's own, known by its servers; an earlier version stored no ways
		writeSources(a, s.Sources()|store.FromTap)
	}
	a.str(mcpconv.ClientName, client)
	a.str(mcpconv.ClientVersion, info.Client.Version)
	a.str(mcpconv.HostID, s.HostID)
	a.str(mcpconv.ServerName, server)
	a.str(mcpconv.ServerVersion, info.Server.Version)
	a.otel(mcpconv.ProtocolVersion, info.Protocol)
	a.str(mcpconv.Invalid, strings.Clone(s.Invalid))
}

// writePlace writes where a coding agent works.
func writePlace(a *attrs, s *store.SessionRecord) {
	if s.Agent == nil {
		return
	}
	a.payload(mcpconv.WorkingDir, s.Agent.Dir)
	a.payload(mcpconv.Branch, s.Agent.Branch)
}

// summary adds the span with a session's counts.
func (b *Batch) summary(e *session.SessionEnd) {
	s, a := e.Session, &b.attrs
	span := b.out.span(serviceOf(s))
	place{s.Trace, e.Summary, s.Root, e.Time, e.Time}.set(span)
	span.SetName(mcpconv.SpanSummary)
	a.begin(sessionCapacity)
	a.session(s)
	u := &e.Totals
	a.int(mcpconv.SummaryLLM, u.LLMCalls)
	a.int(mcpconv.SummaryTokens, u.Tokens)
	a.int(mcpconv.SummaryTools, u.ToolCalls)
	a.int(mcpconv.SummaryResources, int64(u.Resources))
	a.int(mcpconv.SummaryPrompts, int64(u.Prompts))
	a.int(mcpconv.SummaryAgents, int64(u.Agents))
	a.int(mcpconv.SummaryNotices, u.Notices)
	a.int(mcpconv.SummaryErrors, u.Errors)
	a.int(mcpconv.SummaryWaiting, u.WaitingNs/1_000_000)
	if s.Agent != nil {
		writeWork(a, u)
	}
	b.finish(span, &session.Outcome{})
}

// writeWork writes what an agent did in all, on the summary and on the root.
func writeWork(a *attrs, u *store.Summary) {
	a.int(mcpconv.SummaryTurns, int64(u.Turns))
	a.int(mcpconv.SummaryRefusals, int64(u.Refusals))
	if u.Input+u.Output > 0 {
		a.int(mcpconv.SummaryInput, u.Input)
		a.int(mcpconv.SummaryOutput, u.Output)
		a.int(mcpconv.SummaryCached, u.CacheRead)
		a.positive(mcpconv.SummaryWritten, u.CacheWrite)
		a.positive(mcpconv.SummaryReasoning, u.Reasoning)
	}
	if u.HasCost {
		a.float(mcpconv.SummaryCost, u.Cost)
		if u.Estimated > 0 {
			a.float(mcpconv.SummaryEstimated, u.Estimated)
			a.str(mcpconv.SummaryPrices, a.opt.Prices)
		}
	}
}

// sourceNames are the names of the sources, in their order.
var sourceNames = []string{
	mcpconv.SourceHooks, mcpconv.SourceLogs, mcpconv.SourceSpans, mcpconv.SourceTap, mcpconv.SourceMCP, mcpconv.SourcePush,
	mcpconv.SourceInspector,
}

// writeSources writes what reported the session.
func writeSources(a *attrs, sources store.Sources) {
	slice := a.mb.AppendEmpty(mcpconv.SessionSources).SetEmptySlice()
	for i, name := range sourceNames {
		if sources.Has(1 << i) {
			slice.AppendEmpty().SetStr(name)
		}
	}
}

// titleOf is the session's title: its agent's own, else the first line of the first
// prompt, else the directory that the agent works in. That of a session which was
// tapped names the server, and the client if it has a name.
func titleOf(s *store.SessionRecord) string {
	switch {
	case s.Title != "" || s.Agent != nil && s.Name() != "":
		return s.Name()
	case s.Agent == nil && workflowType(s) != mcpconv.WorkflowMCP:
		return ""
	case s.Agent == nil:
		client, server := s.Peers()
		if client != "" && server != "" {
			return client + " → " + server
		}
		return server
	}
	dir := strings.TrimRight(s.Agent.Dir, `/\`)
	dir = dir[strings.LastIndexAny(dir, `/\`)+1:]
	if dir != "" && s.Agent.Branch != "" {
		return dir + " (" + s.Agent.Branch + ")"
	}
	return dir
}

// rootName is the span name of a session's root. Under the semantic conventions an
// Inspector's has its title, whatever that is.
func rootName(opt *Options, s *store.SessionRecord) string {
	if !opt.SemconvNames {
		return mcpconv.SpanWorkflow
	}
	name := workflowName(s)
	if s.Inspector {
		name = jsonscan.Cut(s.Title, opt.TextBytes)
	}
	return strings.TrimRight(mcpconv.OperationWorkflow+" "+name, " ")
}

// workflowName returns an Inspector's title if that is a name and no payload, else the type; ""
// if neither is known.
func workflowName(s *store.SessionRecord) string {
	kind := workflowType(s)
	switch {
	case kind == mcpconv.WorkflowUnknown:
		return ""
	case s.Inspector:
		return s.Title
	}
	return kind
}

// workflowType returns the class name of the session's workflow.
func workflowType(s *store.SessionRecord) string {
	switch {
	case s.Inspector:
		return snakeCase(s.Title)
	case s.IsHost:
		return mcpconv.WorkflowHost
	case s.ACP:
		return mcpconv.WorkflowACP
	}
	return mcpconv.WorkflowMCP
}

// identifierMax limits the length of a class name: a title is payload, and only an
// identifier counts as a name.
const identifierMax = 64

// snakeCase is the title in snake case if it is one identifier, as a class name
// is, else "unknown".
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

// startsWord reports whether the capital at i begins a word: LLMRouter is
// llm_router, EvaluatorOptimizer evaluator_optimizer.
func startsWord(runes []rune, i int) bool {
	before := runes[i-1]
	if before == '_' {
		return false
	}
	return !unicode.IsUpper(before) || i+1 < len(runes) && unicode.IsLower(runes[i+1])
}
