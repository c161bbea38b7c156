package sessions

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// peer takes a span of a session with that name, service and attributes.
func peer(b *Board, id, name, service string, attributes map[string]any) Update {
	resource, s := peerSpan(id, name, service, attributes)
	b.Foresee(resource, s)
	return b.Span(resource, s, "scope")
}

func peerSpan(id, name, service string, attributes map[string]any) (pcommon.Resource, ptrace.Span) {
	resource := pcommon.NewResource()
	resource.Attributes().PutStr("service.name", service)
	s := ptrace.NewSpan()
	s.SetName(name)
	s.SetTraceID(pcommon.TraceID([]byte((id + "................")[:16])))
	s.SetSpanID(pcommon.SpanID([]byte((name + id + "........")[:8])))
	s.SetParentSpanID(pcommon.SpanID{1})
	s.SetStartTimestamp(pcommon.NewTimestampFromTime(time.Unix(1, 0)))
	s.SetEndTimestamp(pcommon.NewTimestampFromTime(time.Unix(2, 0)))
	_ = s.Attributes().FromRaw(attributes)
	s.Attributes().PutStr("session.id", id)
	return resource, s
}

func ids(b *Board) (all []string) {
	for _, s := range b.byStart {
		all = append(all, s.row.ID)
	}
	return all
}

// A sub-agent may call its conversation a session: what it did counts where it belongs.
func TestSessionsOfSubAgents(t *testing.T) {
	b := New(10, func() time.Time { return time.Unix(3, 0) })
	model := map[string]any{"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 10}
	peer(b, "a-1", "hook.x", "opencode", nil)
	peer(b, "child", "ai.first", "opencode", model)
	assert.ElementsMatch(t, []string{"a-1", "child"}, ids(b))
	model["mcp.session.part_of"] = "a-1"
	u := peer(b, "child", "ai.second", "opencode", model)
	assert.Equal(t, "a-1", u.ID)
	assert.Equal(t, []string{"a-1"}, ids(b))
	row := b.byID["a-1"].row
	assert.EqualValues(t, 3, row.SpanCount)
	peer(b, "child", "workflow.run", "opencode", map[string]any{"mcp.session.end_reason": "finished"})
	assert.Zero(t, b.byID["a-1"].row.EndedAt)
}

// What is part of a part is part of the whole.
func TestPartsOfParts(t *testing.T) {
	b := New(10, func() time.Time { return time.Unix(3, 0) })
	peer(b, "a-2", "hook.BeforeAgent", "gemini-cli", map[string]any{"mcp.session.part_of": "a-1"})
	peer(b, "a-3", "hook.BeforeAgent", "gemini-cli", map[string]any{"mcp.session.part_of": "a-2"})
	peer(b, "a-1", "hook.BeforeAgent", "gemini-cli", map[string]any{"mcp.session.part_of": "a-0"})
	peer(b, "a-3", "hook.AfterAgent", "gemini-cli", nil)
	assert.Equal(t, []string{"a-0"}, ids(b))
}

// Each span of a part says whose it is: it is to be remembered, and its file to be moved,
// once.
func TestAPartIsFoldedOnce(t *testing.T) {
	b := New(10, func() time.Time { return time.Unix(3, 0) })
	folds := 0
	for range 100 {
		folds += len(peer(b, "child", "chat", "opencode", map[string]any{"mcp.session.part_of": "a-1"}).Folds)
	}
	assert.Equal(t, 1, folds)
	u := peer(b, "child", "chat", "opencode", map[string]any{"mcp.session.part_of": "a-2"})
	assert.Len(t, u.Folds, 1, "it is part of another one now")
}
