package mcpreceiver

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// joining has an agent with hooks, and a tap before a server of its.
type joining struct {
	*fixture
	t *testing.T
}

func (j joining) hook(session, process, event, more string) {
	query := ""
	if process != "" {
		query = "?process=" + process
	}
	j.post(j.t, 0, step{Post: "/v1/hooks/claude-code" + query, Body: fmt.Sprintf(`{"session_id":%q,"hook_event_name":%q%s}`, session, event, more)})
	time.Sleep(time.Second)
}

// tap reports what client and server say in the session tap, as JSON without what all have.
func (j joining) tap(process string, messages ...string) {
	var body strings.Builder
	for _, m := range messages {
		direction := "client_to_server"
		if strings.Contains(m, `"result"`) {
			direction = "server_to_client"
		}
		fmt.Fprintf(&body, `{"session":"tap","connection":"c","process":%q,"transport":"stdio","direction":%q,"message":{"jsonrpc":"2.0",%s}}`+"\n", process, direction, m)
	}
	j.post(j.t, 0, step{Post: "/v1/observations", Type: "application/x-ndjson", Body: body.String()})
	time.Sleep(time.Second)
}

func (j joining) opened(process string) {
	j.tap(process, `"id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"claude-code","version":"1"}}`,
		`"id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"adder","version":"1"}}`)
}

func (j joining) called(process, meta string) {
	j.tap(process, `"id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":1},"_meta":{`+meta+`}}`,
		`"id":1,"result":{"content":[]}`)
}

// rows are the sessions that have one, and how many calls of tools and errors it says.
func (j joining) rows() (all []string) {
	synctest.Wait()
	j.sink.mu.Lock()
	defer j.sink.mu.Unlock()
	for id, row := range j.sink.rows {
		m := row.AsRaw()
		if m["mcp.session.part_of"] != nil {
			continue
		}
		all = append(all, fmt.Sprint(id, ": ", m["mcp.summary.tool_calls"], " calls, ", m["mcp.session.sources"]))
	}
	slices.Sort(all)
	return all
}

// span is one of that name.
func (j joining) span(name string) (found ptrace.Span) {
	j.sink.mu.Lock()
	defer j.sink.mu.Unlock()
	found = ptrace.NewSpan()
	for _, rs := range j.sink.traces.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				if s.Name() == name {
					found = s
				}
			}
		}
	}
	require.Equal(j.t, name, found.Name())
	return found
}

const use = `,"tool_name":"mcp__adder__add","tool_input":{"a":1},"tool_use_id":"t1"`

// TestServersOfAnAgent: what a tap sees of a server is part of the session of the agent that
// uses it, if an id says which that is, whichever came first.
func TestServersOfAnAgent(t *testing.T) {
	run := func(name string, want []string, play func(j joining)) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				j := joining{rowFixture(t), t}
				play(j)
				require.Equal(t, want, j.rows())
			})
		})
	}
	joined := []string{"s: 1 calls, [hooks tap]"}
	call := func(j joining, process, meta string) {
		j.hook("s", process, "PreToolUse", use)
		j.called(process, meta)
		j.hook("s", process, "PostToolUse", use+`,"tool_response":{}`)
	}
	run("by the process, the server first", joined, func(j joining) {
		j.opened("1.2.3")
		j.hook("s", "1.2.3", "UserPromptSubmit", `,"prompt":"Add"`)
		call(j, "1.2.3", "")
	})
	run("by the process, the agent first", joined, func(j joining) {
		j.hook("s", "1.2.3", "UserPromptSubmit", `,"prompt":"Add"`)
		j.opened("1.2.3")
		call(j, "1.2.3", "")
	})
	run("a stream is open already", joined, func(j joining) {
		j.opened("1.2.3")
		j.tap("1.2.3", `"id":7,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true}}`)
		call(j, "1.2.3", "")
		j.tap("1.2.3", `"id":7,"result":{}`)
		j.post(j.t, 0, step{Post: "/v1/observations", Type: "application/json", Body: `{"session":"tap","connection":"c","process":"1.2.3","end":{"reason":"closed","exit_code":0}}`})
		time.Sleep(time.Second)
		synctest.Wait()
		require.NotContains(j.t, j.span("subscriptions/listen").Attributes().AsRaw(), "mcp.incomplete")
	})
	run("by the call", joined, func(j joining) {
		j.opened("")
		j.hook("s", "", "UserPromptSubmit", `,"prompt":"Add"`)
		call(j, "", `"claudecode/toolUseId":"t1"`)
	})
	run("by the session", joined, func(j joining) {
		j.opened("")
		j.hook("s", "", "UserPromptSubmit", `,"prompt":"Add"`)
		call(j, "", `"threadId":"s"`)
	})
	run("the call before its agent tells of it", joined, func(j joining) {
		j.opened("")
		j.called("", `"claudecode/toolUseId":"t1"`)
		j.hook("s", "", "PreToolUse", use)
		j.hook("s", "", "PostToolUse", use+`,"tool_response":{}`)
		j.tap("", `"id":2,"method":"tools/list"`, `"id":2,"result":{"tools":[]}`)
	})
	run("the server's reports after the agent's end", joined, func(j joining) {
		j.opened("1.2.3")
		j.hook("s", "1.2.3", "PreToolUse", use)
		j.hook("s", "1.2.3", "PostToolUse", use+`,"tool_response":{}`)
		j.hook("s", "1.2.3", "SessionEnd", `,"reason":"other"`)
		j.called("1.2.3", "")
	})
	apart := []string{"s: 1 calls, [hooks]", "tap: 1 calls, [tap]"}
	run("a name says nothing", apart, func(j joining) {
		j.opened("4.5.6")
		call(j, "", "")
	})
	run("one process has two sessions", append([]string{"other: 0 calls, [hooks]"}, apart...), func(j joining) {
		j.hook("s", "1.2.3", "UserPromptSubmit", `,"prompt":"Add"`)
		j.hook("other", "1.2.3", "UserPromptSubmit", `,"prompt":"Add"`)
		j.opened("1.2.3")
		call(j, "1.2.3", "")
	})
	run("the process goes on with another session", []string{"next: 1 calls, [hooks tap]", "s: 1 calls, [hooks tap]"}, func(j joining) {
		j.opened("1.2.3")
		call(j, "1.2.3", "")
		j.hook("s", "1.2.3", "SessionEnd", `,"reason":"clear"`)
		time.Sleep(time.Minute)
		j.hook("next", "1.2.3", "UserPromptSubmit", `,"prompt":"Add"`)
		j.called("1.2.3", "")
	})
	run("the agent's session is over", []string{"s: 1 calls, [hooks tap]", "tap: 2 calls, [tap]"}, func(j joining) {
		j.opened("1.2.3")
		call(j, "1.2.3", "")
		j.hook("s", "1.2.3", "SessionEnd", `,"reason":"other"`)
		time.Sleep(time.Minute)
		j.called("1.2.3", "")
		j.called("1.2.3", "")
	})
}
