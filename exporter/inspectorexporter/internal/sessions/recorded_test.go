package sessions

import (
	"encoding/json"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// stateRecord is a state record of session s.
func stateRecord(epoch, sequence int, pairs ...any) item {
	return record("s", "mcp.session.state", 1, 5, append([]any{
		"mcp.session.epoch", epoch, "mcp.session.state.sequence", sequence, "mcp.session.state.name", "running",
		"mcp.session.start_time_unix_nano", t0.UnixNano(),
	}, pairs...)...)
}

// TestRowIsTheLastRecord: whatever the order, and whatever the spans suggest.
func TestRowIsTheLastRecord(t *testing.T) {
	items := []item{
		span("s", "session.start", 2, 1, 0, 0, "mcp.session.title", "Old"),
		span("s", "tool.call", 3, 1, 1, 2),
		span("s", "tool.call", 4, 1, 1, 2),
		span("s", "llm.generate", 5, 1, 1, 2, "gen_ai.usage.input_tokens", 7),
		record("s", "phase.start", 6, 3, "mcp.host.phase", "working"),
		stateRecord(1, 10, "mcp.summary.tool_calls", 1),
		stateRecord(1, 20, "mcp.summary.tool_calls", 2, "mcp.summary.errors", 1),
		stateRecord(2, 15, "mcp.summary.tool_calls", 3, "mcp.summary.llm_calls", 4, "mcp.summary.turns", 2, "mcp.summary.input_tokens", 100,
			"mcp.summary.cost_usd", 0.25, "mcp.session.title", "New", "mcp.session.state.name", "waiting", "mcp.host.phase", "waiting_approval",
			"mcp.wait.kind", "approval", "mcp.wait.tool", "Bash", "mcp.wait.detail", "git push", "mcp.wait.since_unix_nano", t0.UnixNano(),
			"mcp.session.open_calls.count", 1, "mcp.session.open_calls", []any{map[string]any{
				"name": "tool.call", "target": "Bash", "detail": "git push", "span_id": "0000000000000009", "start_time_unix_nano": t0.UnixNano(),
			}}),
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		b, _ := board(10)
		random.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
		for _, i := range items {
			i(b)
		}
		r := row(t, b, "s")
		assert.Equal(t, Waiting, r.State)
		assert.Equal(t, paused, r.Status)
		assert.Equal(t, "New", r.Title)
		assert.Equal(t, "waiting_approval", r.Phase)
		assert.Equal(t, []int64{3, 4, 2, 0}, []int64{r.ToolCalls, r.LLMCalls, r.Turns, r.Errors})
		assert.EqualValues(t, 100, r.Usage.Input)
		assert.InDelta(t, 0.25, r.Usage.CostUSD, 1e-9)
		require.NotNil(t, r.Waiting)
		assert.Equal(t, []string{"approval", "Bash", "git push"}, []string{r.Waiting.Kind, r.Waiting.Tool, r.Waiting.Detail})
		require.Len(t, r.OpenCalls, 1)
		assert.Equal(t, []string{"tool.call", "Bash", "git push"}, []string{r.OpenCalls[0].Name, r.OpenCalls[0].Detail, r.OpenCalls[0].About})
	}
}

// TestWhatDidNothingHasNoRow: an agent opens connections when it starts, of which its receiver
// sends spans, and records only once something happens there. Where no records come, the
// spans are all there is.
func TestWhatDidNothingHasNoRow(t *testing.T) {
	resource, opened := peerSpan("c", "initialize", "agent", nil)
	for name, again := range map[string]func(*Board){
		"live":           func(b *Board) { b.Span(resource, opened, ourScopes+"receiver") },
		"after a start":  func(b *Board) { b.Restore("c", resource, opened, ourScopes+"receiver") },
		"of other peers": func(b *Board) { b.Span(resource, opened, "other") },
	} {
		b, _ := board(10)
		again(b)
		assert.Equal(t, []string{"c"}, listed(t, b), name)
		_, seen := b.Changes(0, 10)
		stateRecord(1, 1)(b)
		if name == "of other peers" {
			assert.Len(t, listed(t, b), 2, name)
			continue
		}
		assert.Equal(t, []string{"s"}, listed(t, b), name)
		changes, _ := b.Changes(seen, 10)
		assert.Contains(t, changes, Change{ID: "c"}, name)
		record("c", "mcp.session.state", 1, 5, "mcp.session.epoch", 1, "mcp.session.state.sequence", 1, "mcp.session.state.name", "idle")(b)
		assert.Len(t, listed(t, b), 2, name)
	}
}

func listed(t *testing.T, b *Board) (ids []string) {
	page, err := b.List(Query{Limit: 10})
	require.NoError(t, err)
	for _, text := range page.Sessions {
		var r Row
		require.NoError(t, json.Unmarshal(text, &r))
		ids = append(ids, r.ID)
	}
	return ids
}

// TestRecordsOfTheEnd: an ended session stays as it ended, and goes on with its next epoch.
func TestRecordsOfTheEnd(t *testing.T) {
	b, clock := board(10)
	stateRecord(1, 1)(b)
	stateRecord(1, 2, "mcp.session.state.name", "failed", "mcp.session.end_time_unix_nano", t0.UnixNano()+2e9,
		"mcp.session.end_reason", "finished", "mcp.status.code", "error", "mcp.error.code", "SERVER_ERROR", "mcp.error.message", "no disk")(b)
	r := row(t, b, "s")
	assert.Equal(t, []string{Failed, Failed, "no disk", "finished"}, []string{r.State, r.Status, r.Error, r.EndReason})
	assert.EqualValues(t, 2000, r.DurationMS)
	clock.t = clock.t.Add(24 * 3600e9)
	b.Tick()
	assert.Equal(t, Failed, row(t, b, "s").State)
	stateRecord(2, 3, "mcp.session.state.name", "idle")(b)
	r = row(t, b, "s")
	assert.Equal(t, Idle, r.State)
	assert.Zero(t, r.EndedAt)
	assert.Empty(t, r.Error)
}

// TestARootEndsNoRecordedSession: its receiver decides, and says so in a record.
func TestARootEndsNoRecordedSession(t *testing.T) {
	b, _ := board(10)
	stateRecord(1, 1)(b)
	u := span("s", "agent.turn", 1, 0, 0, 3)(b)
	assert.Empty(t, u.Events)
	assert.Equal(t, Running, row(t, b, "s").State)
}

// TestHostErrors: the record says what a host failed at, until it goes on.
func TestHostErrors(t *testing.T) {
	b, _ := board(10)
	stateRecord(1, 1, "mcp.host.error.time_unix_nano", t0.UnixNano()+5, "mcp.host.error.type", "rate_limit",
		"mcp.host.error.message", "slow down", "mcp.host.error.retrying", true, "mcp.host.error.retry_count", 3)(b)
	assert.Equal(t, &HostError{
		Type: "rate_limit", Message: "slow down", Retrying: true, RetryCount: 3, Time: Time(t0.UnixNano() + 5),
	}, row(t, b, "s").HostError)
	stateRecord(1, 2)(b)
	assert.Nil(t, row(t, b, "s").HostError)
}

// TestApprovals: a session that waits for a person's approval has the Inspector's events of it.
func TestApprovals(t *testing.T) {
	b, _ := board(10)
	stateRecord(1, 1)(b)
	asked := []any{"mcp.wait.kind", "approval", "mcp.wait.name", "approval", "mcp.session.state.name", "waiting"}
	assert.Equal(t, []string{"WaitingOnSignal"}, kindsOf(stateRecord(1, 2, asked...)(b).Events))
	assert.Empty(t, stateRecord(1, 3, asked...)(b).Events)
	assert.Equal(t, []string{"SignalReceived"}, kindsOf(stateRecord(1, 4)(b).Events))
	assert.Empty(t, stateRecord(1, 5, "mcp.wait.kind", "signal", "mcp.wait.name", "approve")(b).Events, "its spans say so")
}

// TestKnown: the next run has the last record of a session, and takes later ones only.
func TestKnown(t *testing.T) {
	for _, current := range []bool{true, false} {
		old, _ := board(10)
		span("s", "tool.call", 3, 1, 1, 2)(old)
		stateRecord(1, 7, "mcp.summary.tool_calls", 4, "mcp.session.title", "T")(old)
		b, _ := board(10)
		assert.False(t, b.Known("s", old.Meta("s"), 1, current), "it is open: its lines are read too")
		got := row(t, b, "s")
		assert.Equal(t, []any{"T", int64(4), int64(0)}, []any{got.Title, got.ToolCalls, got.SpanCount})
		stateRecord(1, 6, "mcp.summary.tool_calls", 3)(b)
		assert.EqualValues(t, 4, row(t, b, "s").ToolCalls)
		stateRecord(1, 8, "mcp.summary.tool_calls", 5)(b)
		assert.EqualValues(t, 5, row(t, b, "s").ToolCalls)
	}
}

// TestNoRecordSince: what became of a session at work, or of a wait, is not known when its
// records stop. One that rests has nothing to report.
func TestNoRecordSince(t *testing.T) {
	for _, state := range []string{Running, Waiting, Stalled} {
		b, clock := board(10)
		seen := clock.t
		stateRecord(1, 1, "mcp.session.state.name", state)(b)
		clock.t = clock.t.Add(59 * time.Second)
		assert.Zero(t, row(t, b, "s").NoRecordSince)
		span("s", "tool.call", 3, 1, 1, 2)(b) // is no record
		version := b.Version()
		clock.t = clock.t.Add(2 * time.Second)
		b.Tick()
		assert.Greater(t, b.Version(), version)
		r := row(t, b, "s")
		assert.Equal(t, state, r.State, "that it is unknown is no state")
		assert.Equal(t, Time(seen.UnixNano()), r.NoRecordSince)
		stateRecord(1, 2, "mcp.session.state.name", state)(b)
		assert.Zero(t, row(t, b, "s").NoRecordSince)
	}
	b, clock := board(10)
	stateRecord(1, 1, "mcp.session.state.name", "idle")(b)
	clock.t = clock.t.Add(24 * time.Hour)
	assert.Zero(t, row(t, b, "s").NoRecordSince)
}

// TestWhatIsUnknown: a row says in which time it may lack what happened.
func TestWhatIsUnknown(t *testing.T) {
	b, _ := board(10)
	stateRecord(1, 1)(b)
	text, err := json.Marshal(row(t, b, "s"))
	require.NoError(t, err)
	assert.NotContains(t, string(text), "unknown_")
	from := t0.UnixNano()
	stateRecord(1, 2, "mcp.session.unknown_from", from, "mcp.session.unknown_until", from+100e9)(b)
	text, err = json.Marshal(row(t, b, "s"))
	require.NoError(t, err)
	begin, end := t0.UTC().Format(time.RFC3339), t0.Add(100*time.Second).UTC().Format(time.RFC3339)
	assert.Contains(t, string(text), `"unknown_from":"`+begin+`","unknown_until":"`+end+`"`)
}

// TestRecordsThatLie: what a sender makes up is bounded, and nothing breaks.
func TestRecordsThatLie(t *testing.T) {
	b, _ := board(10)
	stateRecord(-1, -5, "mcp.session.open_calls", "no list", "mcp.session.open_calls.count", -3, "mcp.summary.tool_calls", -1,
		"mcp.summary.cost_usd", -1.5, "mcp.wait.kind", 7, "mcp.session.end_time_unix_nano", "soon")(b)
	stateRecord(1, 1, "mcp.session.open_calls", []any{1, "two", map[string]any{"name": 3}}, "mcp.session.state.name", "dancing")(b)
	r := row(t, b, "s")
	assert.Equal(t, Running, r.State, "a state that nobody knows")
	assert.Zero(t, r.ToolCalls)
	assert.Len(t, r.OpenCalls, 1)
	page, err := b.List(Query{Limit: 10, Attention: true})
	require.NoError(t, err)
	assert.Len(t, page.Sessions, 1)
}
