package mcpreceiver

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// rows keeps the last state record of each session, as whoever shows sessions does.
type rows map[string]pcommon.Map

// take moves the state records out of ld, and reports whether anything is left.
func (r rows) take(ld plog.Logs) bool {
	for _, rl := range ld.ResourceLogs().All() {
		for _, sl := range rl.ScopeLogs().All() {
			sl.LogRecords().RemoveIf(func(record plog.LogRecord) bool {
				if record.EventName() != mcpconv.LogSessionState {
					return false
				}
				r.keep(record.Attributes())
				return true
			})
		}
	}
	ld.ResourceLogs().RemoveIf(func(rl plog.ResourceLogs) bool {
		rl.ScopeLogs().RemoveIf(func(sl plog.ScopeLogs) bool { return sl.LogRecords().Len() == 0 })
		return rl.ScopeLogs().Len() == 0
	})
	return ld.ResourceLogs().Len() > 0
}

func (r rows) keep(m pcommon.Map) {
	id := text(m, mcpconv.SessionID)
	old, ok := r[id]
	if ok && slices.Compare(order(old), order(m)) >= 0 {
		return
	}
	kept := pcommon.NewMap()
	m.CopyTo(kept)
	r[id] = kept
}

func order(m pcommon.Map) []int64 {
	return []int64{number(m, mcpconv.SessionEpoch), number(m, mcpconv.StateSequence)}
}

func text(m pcommon.Map, key string) string {
	v, ok := m.Get(key)
	if !ok {
		return ""
	}
	return v.AsString()
}

func number(m pcommon.Map, key string) int64 {
	v, ok := m.Get(key)
	if !ok {
		return 0
	}
	return v.Int()
}

// rowSink accepts state records and drops all others.
type rowSink struct {
	sink *refusingSink
}

func (rowSink) Capabilities() consumer.Capabilities { return consumer.Capabilities{MutatesData: true} }

func (s rowSink) ConsumeLogs(_ context.Context, ld plog.Logs) error {
	s.sink.mu.Lock()
	defer s.sink.mu.Unlock()
	s.sink.rows.take(ld)
	return nil
}

// summed are the figures that a row has of all epochs of its session, each of which has
// a summary.
var summed = []string{
	mcpconv.SummaryLLM, mcpconv.SummaryTools, mcpconv.SummaryResources, mcpconv.SummaryPrompts, mcpconv.SummaryAgents,
	mcpconv.SummaryNotices, mcpconv.SummaryErrors, mcpconv.SummaryTurns, mcpconv.SummaryRefusals,
	mcpconv.SummaryInput, mcpconv.SummaryOutput, mcpconv.SummaryCached, mcpconv.SummaryWaiting,
}

// requireRows holds the row of each session that has ended against its summaries.
func requireRows(t *testing.T, all rows, td ptrace.Traces) {
	if strings.HasSuffix(t.Name(), "/hooks-model-after-end") {
		return // the row has more than the summary, which had left
	}
	sums, epochs := map[string]map[string]int64{}, map[string]map[int64]bool{}
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				m := span.Attributes()
				id, epoch := text(m, mcpconv.SessionID), max(number(m, mcpconv.SessionEpoch), 1)
				if span.Name() != mcpconv.SpanSummary || epochs[id][epoch] {
					continue
				}
				if sums[id] == nil {
					sums[id], epochs[id] = map[string]int64{}, map[int64]bool{}
				}
				epochs[id][epoch] = true
				for _, key := range summed {
					sums[id][key] += number(m, key)
				}
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(all)) {
		row := all[id]
		if _, ended := row.Get(mcpconv.SessionEnded); !ended || int64(len(epochs[id])) != number(row, mcpconv.SessionEpoch) {
			continue // it is open, or a former epoch was left in another process
		}
		if len(epochs[id]) > 1 {
			delete(sums[id], mcpconv.SummaryTools) // a host's own total is of all epochs
		}
		for key, want := range sums[id] {
			assert.Equal(t, want, number(row, key), "%s in the row of session %q", key, id)
		}
	}
}

// rowFixture is a receiver of which only the rows matter.
func rowFixture(t *testing.T) *fixture {
	f := newFixture(t, t.TempDir(), "", false)
	t.Cleanup(func() {
		f.receiver.sessions.Checkpoint = nil
		require.NoError(t, f.receiver.Shutdown(context.Background()))
	})
	return f
}

// row is the last state record of session s.
func (f *fixture) row() map[string]any {
	synctest.Wait()
	f.sink.mu.Lock()
	defer f.sink.mu.Unlock()
	row, ok := f.sink.rows["s"]
	if !ok {
		return nil
	}
	return row.AsRaw()
}

func (f *fixture) hooks(t *testing.T, body string) {
	f.post(t, 0, step{Post: "/v1/hooks/claude-code", Body: body})
}

// TestRowsComeAtOnceAndThenInIntervals: what happens within an interval is one record.
func TestRowsComeAtOnceAndThenInIntervals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := rowFixture(t)
		f.hooks(t, `{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"Fix it"}`)
		first := f.row()
		require.Equal(t, "running", first["mcp.session.state.name"])
		require.Equal(t, "working", first["mcp.host.phase"])
		for range 10 {
			f.hooks(t, `{"session_id":"s","hook_event_name":"Notification","message":"note","notification_type":"other"}`)
		}
		require.Equal(t, first, f.row(), "the interval has not passed")
		time.Sleep(store.RowInterval + 100*time.Millisecond)
		second := f.row()
		require.Greater(t, second["mcp.session.state.sequence"], first["mcp.session.state.sequence"])
		require.EqualValues(t, 11, second["mcp.summary.notices"])
		time.Sleep(10 * time.Second)
		require.Equal(t, second, f.row(), "nothing changes, so nothing comes")
		f.hooks(t, `{"session_id":"s","hook_event_name":"SessionEnd","reason":"exit"}`)
		last := f.row()
		require.Equal(t, "done", last["mcp.session.state.name"])
		require.Equal(t, "finished", last["mcp.session.end_reason"])
	})
}

// TestRowsOfWorkComeAgain: who shows a session at work must know that its receiver is there,
// and of one that rests nothing is to be known.
func TestRowsOfWorkComeAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := rowFixture(t)
		f.hooks(t, `{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"Think"}`)
		last := f.row()
		for range 5 {
			time.Sleep(store.RowBeat * 3 / 2)
			again := f.row()
			require.Equal(t, "running", again["mcp.session.state.name"])
			require.Greater(t, again["mcp.session.state.sequence"], last["mcp.session.state.sequence"])
			last = again
		}
		f.hooks(t, `{"session_id":"s","hook_event_name":"Stop"}`)
		time.Sleep(store.RowBeat) // until what waited for better sources has left
		last = f.row()
		require.Equal(t, "idle", last["mcp.session.state.name"])
		time.Sleep(3 * store.RowBeat)
		require.Equal(t, last, f.row())
	})
}

// TestRowsSayWhatIsAsked: the command, the file, the question.
func TestRowsSayWhatIsAsked(t *testing.T) {
	for name, c := range map[string]struct {
		tool, input          string
		kind, detail, prompt string
	}{
		"a command":  {tool: "Bash", input: `{"command":"git push origin main","description":"Push"}`, kind: "approval", detail: "git push origin main"},
		"a file":     {tool: "Write", input: `{"content":"x","file_path":"/src/sweep.go"}`, kind: "approval", detail: "/src/sweep.go"},
		"words":      {tool: "shell", input: `{"command":["go","test","./..."]}`, kind: "approval", detail: "go test ./..."},
		"a question": {tool: "AskUserQuestion", input: `{"questions":[{"question":"Which branch?","options":[]}]}`, kind: "question", detail: "Which branch?"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := rowFixture(t)
				use := `"tool_name":"` + c.tool + `","tool_input":` + c.input
				f.hooks(t, `{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"Go"}
{"session_id":"s","hook_event_name":"PreToolUse",`+use+`,"tool_use_id":"t1"}
{"session_id":"s","hook_event_name":"PermissionRequest",`+use+`}`)
				time.Sleep(2 * store.RowInterval)
				row := f.row()
				require.Equal(t, "waiting", row["mcp.session.state.name"])
				require.Equal(t, c.kind, row["mcp.wait.kind"])
				require.Equal(t, c.tool, row["mcp.wait.tool"])
				require.Equal(t, c.detail, row["mcp.wait.detail"])
				f.hooks(t, `{"session_id":"s","hook_event_name":"PostToolUse",`+use+`,"tool_response":{},"tool_use_id":"t1"}`)
				time.Sleep(2 * store.RowInterval)
				row = f.row()
				require.Equal(t, "running", row["mcp.session.state.name"], "%v", row)
				require.NotContains(t, row, "mcp.wait.kind")
			})
		})
	}
}

// TestRowsSayWhatIsAskedWithMore: Codex adds the reason to the input of the call.
func TestRowsSayWhatIsAskedWithMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := rowFixture(t)
		f.post(t, 0, step{Post: "/v1/hooks/codex", Body: `{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"Go"}
{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git push"},"tool_use_id":"t1"}
{"session_id":"s","hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"git push","description":"Push it?"}}`})
		time.Sleep(2 * store.RowInterval)
		row := f.row()
		require.Equal(t, "Bash", row["mcp.wait.tool"])
		require.Equal(t, "git push", row["mcp.wait.detail"])
		call := row["mcp.session.open_calls"].([]any)[0].(map[string]any)
		require.Equal(t, call["span_id"], row["mcp.wait.span_id"])
	})
}

// TestRowsHaveOpenCalls: each with its start and what it is about, the stuck one marked.
func TestRowsHaveOpenCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := rowFixture(t)
		f.hooks(t, `{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"Go"}
{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"sleep 1000"},"tool_use_id":"t1"}`)
		row := f.row()
		require.EqualValues(t, 1, row["mcp.session.open_calls.count"])
		call := row["mcp.session.open_calls"].([]any)[0].(map[string]any)
		require.Equal(t, "tool.call", call["name"])
		require.Equal(t, "Bash", call["target"])
		require.Equal(t, "sleep 1000", call["detail"])
		time.Sleep(f.cfg.Call.StuckAfter + time.Second)
		row = f.row()
		require.Equal(t, "stalled", row["mcp.session.state.name"])
		require.Equal(t, "call_stuck", row["mcp.session.stalled.reason"])
		require.Equal(t, true, row["mcp.session.open_calls"].([]any)[0].(map[string]any)["stuck"])
		require.EqualValues(t, 1, row["mcp.summary.errors"])
	})
}

// TestRowsHaveTheLastError: the text of the failure that ended last, also after the end.
func TestRowsHaveTheLastError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := rowFixture(t)
		use := func(id string) string {
			return `"tool_name":"Bash","tool_input":{"command":"make"},"tool_use_id":"` + id + `"`
		}
		f.hooks(t, `{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"Go"}
{"session_id":"s","hook_event_name":"PreToolUse",`+use("t1")+`}
{"session_id":"s","hook_event_name":"PostToolUseFailure",`+use("t1")+`,"error":"no such target"}
{"session_id":"s","hook_event_name":"PreToolUse",`+use("t2")+`}
{"session_id":"s","hook_event_name":"PostToolUse",`+use("t2")+`,"tool_response":{}}`)
		time.Sleep(2 * store.RowInterval)
		require.EqualValues(t, 1, f.row()["mcp.summary.errors"], "at once, though its span is held")
		f.hooks(t, `{"session_id":"s","hook_event_name":"SessionEnd","reason":"exit"}`)
		time.Sleep(time.Minute)
		row := f.row()
		require.EqualValues(t, 1, row["mcp.summary.errors"])
		require.Equal(t, "no such target", row["mcp.session.last_error"])
		require.Equal(t, "done", row["mcp.session.state.name"])
	})
}

// TestRowsWithoutPayloads have names, times and counts, and nothing that a person wrote.
func TestRowsWithoutPayloads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "config.yaml"), []byte("capture: {payloads: false}\n"), 0o600))
		f := newFixture(t, dir, "", false)
		defer func() { require.NoError(t, f.receiver.Shutdown(t.Context())) }()
		use := `"tool_name":"Bash","tool_input":{"command":"cat canary"}`
		f.hooks(t, `{"session_id":"s","cwd":"/home/canary","hook_event_name":"UserPromptSubmit","prompt":"canary"}
{"session_id":"s","hook_event_name":"PreToolUse",`+use+`,"tool_use_id":"t1"}
{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{},"tool_use_id":"t2"}
{"session_id":"s","hook_event_name":"PostToolUseFailure","tool_name":"Read","tool_input":{},"tool_use_id":"t2","error":"canary"}
{"session_id":"s","hook_event_name":"PermissionRequest",`+use+`}`)
		time.Sleep(2 * store.RowInterval)
		row := f.row()
		require.Equal(t, "Bash", row["mcp.wait.tool"])
		require.NotContains(t, fmt.Sprint(row), "canary")
	})
}

// TestRowsFollowANestedStart: an application's session starts once more with the name of its
// workflow, which the row shows at once.
func TestRowsFollowANestedStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := rowFixture(t)
		start := func(title string) map[string]any {
			f.post(t, 0, step{Post: "/v1/inspector/events", Body: `{"type":"SessionStarted","session_id":"s","title":"` + title + `"}`})
			time.Sleep(2 * store.RowInterval)
			return f.row()
		}
		row := start("billing Session")
		require.Equal(t, []any{"billing Session", "unknown"}, []any{row["mcp.session.title"], row["mcp.workflow.type"]})
		row = start("EvaluatorOptimizer")
		require.Equal(t, []any{"EvaluatorOptimizer", "evaluator_optimizer"}, []any{row["mcp.session.title"], row["mcp.workflow.type"]})
	})
}

// TestRowsOfAllEpochs: the row of a session that goes on after its end has what it did
// before, once.
func TestRowsOfAllEpochs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := rowFixture(t)
		turn := func(id string) {
			use := `"tool_name":"Bash","tool_input":{"command":"true"},"tool_use_id":"` + id + `"`
			f.hooks(t, `{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"Go"}
{"session_id":"s","hook_event_name":"PreToolUse",`+use+`}
{"session_id":"s","hook_event_name":"PostToolUse",`+use+`,"tool_response":{}}
{"session_id":"s","hook_event_name":"Stop"}`)
			f.hooks(t, `{"session_id":"s","hook_event_name":"SessionEnd","reason":"exit"}`)
			time.Sleep(time.Minute)
		}
		turn("t1")
		turn("t2")
		turn("t3")
		row := f.row()
		require.EqualValues(t, 3, row["mcp.session.epoch"])
		require.EqualValues(t, 3, row["mcp.summary.turns"])
		require.EqualValues(t, 3, row["mcp.summary.tool_calls"])
	})
}

// TestRowsOfWhatComesAfterTheEnd: what is reported after the end of a session, of a time before
// it, changes its row, which is whole again, and begins no epoch; also after a restart.
func TestRowsOfWhatComesAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := rowFixture(t)
		now := time.Now().UnixMilli()
		post := func(body string) {
			f.post(t, 0, step{Post: "/v1/hooks/opencode", Type: "application/json", Body: strings.ReplaceAll(body, "NOW", strconv.FormatInt(now, 10))})
		}
		post(`{"hook_event_name":"session.created","session_id":"s","timestamp":NOW,"version":"1","directory":"/p/x","title":"Fix it"}`)
		post(`{"hook_event_name":"chat.message","session_id":"s","timestamp":NOW,"prompt":"Fix it"}`)
		post(`{"hook_event_name":"instance.disposed","session_id":"s","timestamp":NOW}`)
		time.Sleep(time.Minute)
		before := f.row()
		require.Equal(t, "done", before["mcp.session.state.name"])
		require.EqualValues(t, 0, before["mcp.summary.llm_calls"])
		for range 2 {
			post(`{"hook_event_name":"message.updated","session_id":"s","timestamp":NOW,"model":"m","usage":{"id":"msg_1","provider":"p",` +
				`"purpose":"build","summary":false,"finish":"stop","cost":0.5,"input":10,"output":2,"reasoning":0,"cache_read":0,"cache_write":0}}`)
		}
		after := f.row()
		require.EqualValues(t, 1, after["mcp.summary.llm_calls"])
		require.Greater(t, after["mcp.session.state.sequence"], before["mcp.session.state.sequence"])
		for key := range after {
			if strings.HasPrefix(key, "mcp.summary.") || key == mcpconv.StateSequence {
				delete(before, key)
				delete(after, key)
			}
		}
		require.Equal(t, before, after)
	})
}

// TestRowsKeepTheirTitles: a session is called after its first prompt until a person renames it,
// through its end, after all else about it was forgotten, and in a new process.
func TestRowsKeepTheirTitles(t *testing.T) {
	const forgotten = 25 * time.Hour // after which nothing of an ended session is kept but what names it
	for name, restarts := range map[string]bool{"one process": false, "restarts": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFixture(t, t.TempDir(), "", true)
				post := func(event, more string) any {
					f.post(t, 0, step{Post: "/v1/hooks/opencode", Type: "application/json", Body: fmt.Sprintf(
						`{"hook_event_name":%q,"session_id":"s","timestamp":%d,"version":"1"%s}`, event, time.Now().UnixMilli(), more)})
					time.Sleep(time.Second)
					if restarts {
						f.restart(t)
					}
					return f.row()["mcp.session.title"]
				}
				post("session.created", `,"session_title":"New session - 2026"`)
				require.Equal(t, "Fix it", post("chat.message", `,"prompt":"Fix it\nsoon"`))
				require.Equal(t, "Fix it", post("session.updated", `,"session_title":"Fixing the build"`), "the agent made it")
				post("session.idle", "")
				require.Equal(t, "Fix it", post("instance.disposed", ""))
				time.Sleep(forgotten)
				require.Equal(t, "Fix it", post("chat.message", `,"prompt":"Go on"`), "all else was forgotten")
				require.Equal(t, "My build", post("session.updated", `,"session_title":"My build"`), "a person did")
				require.Equal(t, "My build", post("session.updated", `,"session_title":"My build"`))
				post("session.idle", "")
				post("instance.disposed", "")
				time.Sleep(forgotten)
				require.Equal(t, "My build", post("chat.message", `,"prompt":"And on"`))
				require.EqualValues(t, 3, f.row()["mcp.session.epoch"])
				f.receiver.sessions.Checkpoint = nil
				require.NoError(t, f.receiver.Shutdown(t.Context()))
			})
		})
	}
}
