package demo

import (
	"encoding/json"
	"fmt"
	"strings"
)

// script is one agent: what it does, and when.
type script struct {
	name, client, about string
	steps               []step
}

// step is a message, or an end, so many seconds after the one before.
type step struct {
	after float64
	body  string
}

// scripts are the agents of the demo.
var scripts = []script{
	{"refactor", "opencode", "works with phases, sub-agents, a question and an error", refactor()},
	{"review", "codex", "waits for an approval that never comes", []step{
		beat(0, "working", 30_000, "Review the pull request"),
		call(1, 1, "read_diff", `{"pull":42}`),
		result(1.5, 1, "128 files changed"),
		beat(1, "waiting_approval", 34_000, "Post 3 comments"),
	}},
	{"deploy", "cursor", "fails", []step{
		beat(0, "working", 80_000, "Deploy to staging"),
		call(1, 1, "kubectl_apply", `{"file":"staging.yaml"}`),
		result(3, 1, "deployment web configured"),
		{0.5, notice("host.error", `{"error_type":"auth_failure","message":"the token has expired","retrying":false}`)},
		beat(0.5, "error", 81_000, "Deploy to staging"),
		{2, `"end":{"reason":"closed","exit_code":1}`},
	}},
	{"index", "gemini-cli", "has a call that takes long", []step{
		beat(0, "working", 9_000, "Index the documents"),
		call(0.5, 1, "embed_all", `{"path":"/docs"}`),
		{5, `"message":{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p1","progress":120,"total":400,"message":"120 of 400"}}`},
		{5, `"message":{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p1","progress":250,"total":400,"message":"250 of 400"}}`},
	}},
}

// refactor is a whole session.
func refactor() []step {
	steps := []step{
		beat(0, "working", 12_000, "Find where sessions expire"),
		call(0.5, 1, "grep", `{"pattern":"expire","path":"internal"}`),
		result(1, 1, "internal/tracker/sweep.go:41: func (t *Tracker) expire(now int64) {"),
		{0.5, notice("host.subagent_spawned", `{"subagent_id":"a1","subagent_type":"Explore","task":"Read the tests of the sweeper","model":"haiku"}`)},
		beat(0.5, "thinking", 41_000, "Plan the change"),
	}
	for i := range 12 {
		id := 10 + i
		steps = append(steps, call(0.4, id, "read_file", fmt.Sprintf(`{"path":"internal/tracker/file%02d.go"}`, i)),
			result(0.3+0.1*float64(i%4), id, strings.Repeat("package tracker\n", 20+i)), beat(0.2, "working", 50_000+6_000*i, "Read the package"))
	}
	return append(steps,
		step{0.5, notice("host.subagent_completed", `{"subagent_id":"a1","duration_seconds":9,"outcome":"success","tokens_used":21000}`)},
		step{0.5, `"direction":"server_to_client","message":{"jsonrpc":"2.0","id":"ask","method":"elicitation/create","params":{"message":"Rename expire to sweep?","requestedSchema":{"type":"object","properties":{"ok":{"type":"boolean"}}}}}`},
		step{4, `"direction":"client_to_server","message":{"jsonrpc":"2.0","id":"ask","result":{"action":"accept","content":{"ok":true}}}`},
		step{0.3, `"direction":"server_to_client","message":{"jsonrpc":"2.0","id":"llm","method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"Name the function."}}],"systemPrompt":"Answer with one word.","maxTokens":20}}`},
		step{2, `"direction":"client_to_server","message":{"jsonrpc":"2.0","id":"llm","result":{"role":"assistant","content":{"type":"text","text":"sweep"},"model":"claude","stopReason":"endTurn"}}`},
		call(0.5, 50, "edit_file", `{"path":"internal/tracker/sweep.go","from":"expire","to":"sweep"}`),
		step{0.5, `"message":{"jsonrpc":"2.0","id":50,"error":{"code":-32602,"message":"from occurs 3 times, it must occur once"}}`},
		step{0.5, notice("host.compacting", `{"tokens_before":128000,"tokens_after":40000,"messages_dropped":61,"reason":"approaching_limit"}`)},
		beat(2, "working", 40_000, "Edit each place"),
		call(0.5, 51, "run_tests", `{"package":"./internal/tracker"}`),
		result(3, 51, "ok  internal/tracker 1.2s"),
		beat(0.5, "idle", 44_000, "Done"),
		step{2, `"end":{"reason":"finished","exit_code":0}`},
	)
}

func notice(name, params string) string {
	return `"message":{"jsonrpc":"2.0","method":"notifications/` + name + `","params":` + params + `}`
}

// beat is a heartbeat of a host with room for 200,000 tokens.
func beat(after float64, phase string, tokens int, task string) step {
	return step{after, notice("host.heartbeat", fmt.Sprintf(
		`{"phase":%q,"tokens_used":%d,"tokens_limit":200000,"current_task":%q}`, phase, tokens, task))}
}

func call(after float64, id int, tool, arguments string) step {
	return step{after, fmt.Sprintf(
		`"direction":"client_to_server","message":{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s,"_meta":{"progressToken":"p%d"}}}`,
		id, tool, arguments, id)}
}

func result(after float64, id int, text string) step {
	quoted, _ := json.Marshal(text) // a string can always be written
	return step{after, fmt.Sprintf(
		`"direction":"server_to_client","message":{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":%s}]}}`, id, quoted)}
}
