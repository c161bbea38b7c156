package mcpreceiver

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// ofSession reports whether the span is one of the three that every session has.
func ofSession(s ptrace.Span) bool {
	return s.Name() == mcpconv.SpanSessionStart || s.Name() == mcpconv.SpanSummary || isRoot(s)
}

func isRoot(s ptrace.Span) bool {
	return s.Name() == mcpconv.SpanWorkflow || strings.HasPrefix(s.Name()+" ", mcpconv.OperationWorkflow+" ")
}

// sessionSpans holds what one session sent until it went on in a new epoch, in the
// order in which it came.
type sessionSpans struct {
	starts, summaries, roots []ptrace.Span
	inside                   []ptrace.Span // all others until the root
	late                     []ptrace.Span // after it
}

// sessionsByTrace has more than one session of a trace if it was forgotten
// between them.
type sessionsByTrace map[pcommon.TraceID][]*sessionSpans

// requireSessions checks what holds for the start, the summary and the root of
// every session, so that a case needs to write them down only if it is about them.
// resent says that a pipeline took spans twice. Unless the case writes all spans,
// a session must have others too: one of which nothing is written would be missed.
func requireSessions(t *testing.T, td ptrace.Traces, resent, all bool) {
	sessions := sessionsOf(t, td, resent)
	for trace, of := range sessions {
		for _, s := range of {
			require.Len(t, s.starts, 1, "session.start of %s", trace)
			require.Len(t, s.summaries, 1, "session.summary of %s", trace)
			require.Len(t, s.roots, 1, "root of %s", trace)
			require.True(t, all || len(s.inside)+len(s.late) > 0, "nothing tells of session %s, so write spans: all", trace)
		}
	}
	for _, of := range sessions {
		for _, s := range of {
			requireRelations(t, s)
			counted := s.inside
			for _, span := range s.goesOn() { // a tool's call counts when it begins
				if countedAs(span) == mcpconv.SummaryTools {
					counted = append(counted, span)
				}
			}
			if former := requireFormer(t, s, sessions); former != nil {
				for _, span := range former.goesOn() {
					if countedAs(span) != mcpconv.SummaryTools {
						counted = append(counted, span)
					}
				}
			}
			requireLate(t, s)
			requireCounts(t, s.summaries[0], s.roots[0], counted)
		}
	}
}

// sessionsOf sorts the spans by their session.
func sessionsOf(t *testing.T, td ptrace.Traces, resent bool) sessionsByTrace {
	sessions, byID, seen := sessionsByTrace{}, map[pcommon.SpanID]ptrace.Span{}, map[pcommon.SpanID]bool{}
	for _, s := range spansOf(td) {
		byID[s.SpanID()] = s
		if ofSession(s) {
			sessions[s.TraceID()] = []*sessionSpans{{}}
		}
	}
	for _, s := range spansOf(td) {
		requireStatus(t, s)
		if resent && seen[s.SpanID()] {
			continue
		}
		seen[s.SpanID()] = true
		if trace, ok := sessions.traceOf(s, byID); ok {
			sessions.add(trace, s)
		} else {
			require.Empty(t, textOf(s, mcpconv.SessionID), "%s is of a session without a root", s.Name())
		}
	}
	return sessions
}

// traceOf is the trace of the span's session. A span that has a parent of another
// trace links to its session's root, or its parent does.
func (sessions sessionsByTrace) traceOf(s ptrace.Span, byID map[pcommon.SpanID]ptrace.Span) (pcommon.TraceID, bool) {
	if sessions[s.TraceID()] != nil {
		return s.TraceID(), true
	}
	for _, l := range s.Links().All() {
		if sessions[l.TraceID()] != nil {
			return l.TraceID(), true
		}
	}
	if parent, ok := byID[s.ParentSpanID()]; ok {
		return sessions.traceOf(parent, byID)
	}
	return pcommon.TraceID{}, false
}

func (sessions sessionsByTrace) add(trace pcommon.TraceID, s ptrace.Span) {
	of := sessions[trace][len(sessions[trace])-1]
	switch {
	case s.Name() == mcpconv.SpanSessionStart:
		if len(of.roots) > 0 {
			of = &sessionSpans{}
			sessions[trace] = append(sessions[trace], of)
		}
		of.starts = append(of.starts, s)
	case s.Name() == mcpconv.SpanSummary && len(of.roots) == 0: // the root is the last
		of.summaries = append(of.summaries, s)
	case isRoot(s):
		of.roots = append(of.roots, s)
	case len(of.roots) > 0:
		of.late = append(of.late, s)
	default:
		of.inside = append(of.inside, s)
	}
}

// requireStatus checks that the two ways of telling the span's status agree. A
// span that a server sent in band has only one.
func requireStatus(t *testing.T, s ptrace.Span) {
	want, code := "ok", textOf(s, mcpconv.StatusCode)
	if s.Status().Code() == ptrace.StatusCodeError {
		want = "error"
	}
	if code != "" || textOf(s, mcpconv.SessionID) != "" {
		assert.Equal(t, want, code, s.Name())
	}
}

func requireRelations(t *testing.T, of *sessionSpans) {
	start, summary, root := of.starts[0], of.summaries[0], of.roots[0]
	assert.True(t, root.ParentSpanID().IsEmpty())
	assert.NotEmpty(t, textOf(root, mcpconv.SessionEndReason))
	assert.NotEqual(t, mcpconv.WorkflowUnknown, strings.TrimPrefix(root.Name(), mcpconv.OperationWorkflow+" "))
	assert.NotEqual(t, mcpconv.WorkflowUnknown, textOf(root, mcpconv.GenAIWorkflow))
	assert.LessOrEqual(t, root.StartTimestamp(), start.StartTimestamp())
	assert.Equal(t, root.EndTimestamp(), summary.StartTimestamp()+2)
	requireInside(t, of)
	requireOperations(t, of)
	for key := range start.Attributes().All() {
		_, ok := root.Attributes().Get(key)
		assert.True(t, ok, "%s is lost from start to root", key)
	}
	for _, s := range []ptrace.Span{start, summary} {
		assert.Equal(t, root.TraceID(), s.TraceID())
		assert.Equal(t, root.SpanID(), s.ParentSpanID())
		assert.Equal(t, s.StartTimestamp()+1, s.EndTimestamp())
		assert.Equal(t, ptrace.StatusCodeUnset, s.Status().Code())
		assert.Equal(t, textOf(root, mcpconv.SessionID), textOf(s, mcpconv.SessionID))
		assert.Equal(t, numberOf(root, mcpconv.SessionEpoch), numberOf(s, mcpconv.SessionEpoch))
	}
}

// requireInside checks that each span has a duration, that none ends after its parent, and that
// the root contains all of its trace: backends warn of the rest.
func requireInside(t *testing.T, of *sessionSpans) {
	byID := map[pcommon.SpanID]ptrace.Span{}
	all := slices.Concat(of.starts, of.summaries, of.roots, of.inside)
	for _, s := range all {
		byID[s.SpanID()] = s
	}
	for _, s := range all {
		assert.Less(t, s.StartTimestamp(), s.EndTimestamp(), s.Name())
		if parent, ok := byID[s.ParentSpanID()]; ok && s.Name() != mcpconv.SpanCallReturned { // which another source may report
			assert.LessOrEqual(t, s.EndTimestamp(), parent.EndTimestamp(), "%s ends after %s", s.Name(), parent.Name())
		}
		if root := of.roots[0]; s.TraceID() == root.TraceID() {
			assert.LessOrEqual(t, root.StartTimestamp(), s.StartTimestamp(), "%s begins before the root", s.Name())
			assert.LessOrEqual(t, s.EndTimestamp(), root.EndTimestamp(), "%s ends after the root", s.Name())
		}
	}
}

// requireOperations checks that what the conventions have for GenAI operations is on these
// alone: backends take a span with such a key for one.
func requireOperations(t *testing.T, of *sessionSpans) {
	for _, s := range slices.Concat(of.starts, of.summaries, of.roots, of.inside, of.late) {
		if strings.HasSuffix(s.Name(), ".start") || strings.HasPrefix(s.Name(), "notifications/") || strings.HasPrefix(s.Name(), "hook.") || s.Name() == mcpconv.SpanPhase {
			assert.Empty(t, textOf(s, mcpconv.GenAIOperation), s.Name())
		}
		if textOf(s, mcpconv.GenAIOperation) != "" {
			if with := textOf(s, mcpconv.GenAIConversation); with != "" { // not with the Inspector's keys alone
				assert.Equal(t, textOf(s, mcpconv.SessionID), with, s.Name())
			}
			continue
		}
		for _, key := range []string{mcpconv.GenAIConversation, mcpconv.GenAIToolName, mcpconv.GenAIAgentName, mcpconv.GenAIWorkflow} {
			assert.Empty(t, textOf(s, key), "%s of %s", key, s.Name())
		}
	}
}

// requireFormer checks that the root of a later epoch links to the one before,
// and gives that.
func requireFormer(t *testing.T, of *sessionSpans, sessions sessionsByTrace) *sessionSpans {
	root := of.roots[0]
	epoch := numberOf(root, mcpconv.SessionEpoch)
	if epoch == 0 {
		return nil
	}
	require.NotZero(t, root.Links().Len())
	link := root.Links().At(0)
	require.Len(t, sessions[link.TraceID()], 1)
	former := sessions[link.TraceID()][0]
	assert.Equal(t, former.roots[0].SpanID(), link.SpanID())
	assert.Equal(t, textOf(root, mcpconv.SessionID), textOf(former.roots[0], mcpconv.SessionID))
	assert.Equal(t, epoch-1, max(1, numberOf(former.roots[0], mcpconv.SessionEpoch)))
	return former
}

// requireLate checks that nothing comes after the root but notices and what goes on.
func requireLate(t *testing.T, of *sessionSpans) {
	for _, s := range of.late {
		assert.True(t, isNotice(s) || of.full(), "%s after the root", s.Name())
	}
}

// full reports whether the session went on in a new epoch with what was open.
func (of *sessionSpans) full() bool {
	return textOf(of.roots[0], mcpconv.SessionEndReason) == mcpconv.EndMaxSpans
}

// goesOn returns what the next epoch counts.
func (of *sessionSpans) goesOn() (spans []ptrace.Span) {
	for _, s := range of.late {
		if of.full() && !isNotice(s) {
			spans = append(spans, s)
		}
	}
	return spans
}
