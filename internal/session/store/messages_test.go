package store_test

import (
	"fmt"

	"pgregory.net/rapid"
)

func drawTask(t *rapid.T, id string) string {
	task := rapid.SampledFrom([]string{"k1", "k2"}).Draw(t, "task")
	status := rapid.SampledFrom([]string{"working", "input_required", "completed", "failed", "cancelled"}).Draw(t, "status")
	ttl := rapid.SampledFrom([]string{"null", "1000", "60000"}).Draw(t, "ttl")
	inner := rapid.SampledFrom([]string{"", `,"result":{"content":[]}`, `,"error":{"code":1,"message":"m"}`}).Draw(t, "inner")
	state := fmt.Sprintf(`"taskId":%q,"status":%q,"statusMessage":"m","ttl":%s%s`, task, status, ttl, inner)
	switch rapid.SampledFrom([]string{"create", "create", "inline", "get", "result", "cancel", "state", "told"}).Draw(t, "about") {
	case "create":
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"task":{%s}}}`, id, state)
	case "inline":
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"task",%s}}`, id, state)
	case "get":
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tasks/get","params":{"taskId":%q}}`, id, task)
	case "result":
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tasks/result","params":{"taskId":%q}}`, id, task)
	case "cancel":
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tasks/cancel","params":{"taskId":%q}}`, id, task)
	case "state":
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{%s}}`, id, state)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/tasks/status","params":{%s}}`, state)
}

func drawRound(t *rapid.T, id string) string {
	state := rapid.SampledFrom([]string{"s1", "s2"}).Draw(t, "state")
	if rapid.Bool().Draw(t, "asks") {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"input_required","requestState":%q,"inputRequests":`+
			`{"a":{"method":"elicitation/create","params":{"message":"m","requestedSchema":{}}}}}}`, id, state)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"n","requestState":%q,"_meta":{"progressToken":%s}}}`,
		id, state, rapid.SampledFrom([]string{`"t"`, `"u"`, `"v"`, `null`}).Draw(t, "token"))
}

func drawACP(t *rapid.T, id string) string {
	tool := rapid.SampledFrom([]string{"t1", "t2"}).Draw(t, "tool")
	status := rapid.SampledFrom([]string{"pending", "in_progress", "completed", "failed"}).Draw(t, "status")
	switch rapid.SampledFrom([]string{"prompt", "tool", "tool", "permission", "new", "plan"}).Draw(t, "about") {
	case "prompt":
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"session/prompt","params":{"sessionId":"a","prompt":[]}}`, id)
	case "tool":
		return fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"a","update":{"sessionUpdate":"tool_call_update",`+
			`"toolCallId":%q,"title":%q,"status":%q,"rawInput":{},"rawOutput":{"a":1}}}}`, tool, status, status)
	case "permission":
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"session/request_permission","params":{"toolCall":{"toolCallId":%q,"title":"x"},"options":[]}}`, id, tool)
	case "new":
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"sessionId":"b","stopReason":"end_turn"}}`, id)
	}
	return `{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"plan","entries":[]}}}`
}

func drawNotice(t *rapid.T) string {
	method := rapid.SampledFrom([]string{
		"x", "notifications/events/heartbeat", "ping", "notifications/host.heartbeat", "notifications/host.heartbeat",
		"notifications/host.compacting", "notifications/host.subagent_spawned", "notifications/host.subagent_completed",
		"notifications/host.error", "notifications/reminder", "log", "notifications/message", "initialize",
	}).Draw(t, "method")
	small := rapid.IntRange(0, 2)
	params := fmt.Sprintf(`{"phase":%q,"tokens_used":%d,"elapsed_seconds":%d,"current_task":%q,"subagent_id":%q,"duration_seconds":%d,`+
		`"level":%q,"message":"m","reminder":{"id":"r%d","body":"b","dedupeKey":"k%d","firedAtTurn":%s},"clientCapabilities":%s}`,
		rapid.SampledFrom([]string{"working", "idle", "waiting_approval", "", "other"}).Draw(t, "phase"), small.Draw(t, "used"),
		small.Draw(t, "elapsed"), rapid.SampledFrom([]string{"", "x", "longer"}).Draw(t, "task"),
		rapid.SampledFrom([]string{"", "g1", "g2"}).Draw(t, "agent"), small.Draw(t, "duration"),
		rapid.SampledFrom([]string{"debug", "error", "other"}).Draw(t, "level"), small.Draw(t, "id"), small.Draw(t, "key"),
		rapid.SampledFrom([]string{"null", "3"}).Draw(t, "fired"),
		rapid.SampledFrom([]string{`{}`, `{"logging":{"level":"error"}}`}).Draw(t, "capabilities"))
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params)
}
