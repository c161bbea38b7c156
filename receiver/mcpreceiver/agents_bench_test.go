package mcpreceiver

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-mcp/otelcol-mcp/bench/cputime"
)

// perRequest is the number of records in a request: exporters of agents batch.
const perRequest = 100

// BenchmarkAgents is the time of a request of 100 log records: of none of an agent, and
// of an agent. go run ./bench prints that of one.
func BenchmarkAgents(b *testing.B) {
	b.Run("foreign-record", func(b *testing.B) {
		b.Run("ours", func(b *testing.B) { benchLogs(b, foreignRecord, "shop") })
	})
	b.Run("agent-record", func(b *testing.B) {
		b.Run("ours", func(b *testing.B) { benchLogs(b, agentRecord, "com.anthropic.claude_code.events") })
	})
}

// benchLogs hands requests to a receiver with the decoders of all agents.
func benchLogs(b *testing.B, fill func(request, record int, lr plog.LogRecord), scope string) {
	b.Helper()
	ctx := context.Background()
	s := newSetupOf(b, settings(), nil, newDecoder)
	s.discard()
	s.start(b)
	request := 0
	var ld plog.Logs
	cputime.LoopAfter(b, func() {
		ld = plog.NewLogs()
		rl := ld.ResourceLogs().AppendEmpty()
		rl.Resource().Attributes().PutStr("service.name", scope)
		sl := rl.ScopeLogs().AppendEmpty()
		sl.Scope().SetName(scope)
		for i := range perRequest {
			fill(request, i, sl.LogRecords().AppendEmpty())
		}
		request++
	}, func() { require.NoError(b, s.c.otlp.ConsumeLogs(ctx, ld)) })
	s.stop(b)
}

// foreignRecord is a record that is no agent's.
func foreignRecord(_, i int, lr plog.LogRecord) {
	lr.SetTimestamp(pcommon.Timestamp(time.Now().UnixNano()))
	lr.Body().SetStr("GET /things/" + strconv.Itoa(i))
	lr.Attributes().PutStr("http.request.method", "GET")
	lr.Attributes().PutInt("http.response.status_code", 200)
}

// agentRecord is a record of Claude Code, as it sends them: in turn a decision, a result, a call of
// the model and one that only passes.
func agentRecord(request, i int, lr plog.LogRecord) {
	at := time.Now()
	lr.SetTimestamp(pcommon.Timestamp(at.UnixNano()))
	id := strconv.Itoa(request*perRequest + i/4)
	m := lr.Attributes()
	m.PutStr("session.id", "s-"+strconv.Itoa(request%50))
	m.PutStr("user.id", "0123456789abcdef0123456789abcdef")
	m.PutStr("terminal.type", "xterm")
	m.PutStr("event.timestamp", at.Format(time.RFC3339Nano))
	m.PutInt("event.sequence", int64(i))
	name := [...]string{"tool_decision", "tool_result", "api_request", "hook_execution_start"}[i%4]
	m.PutStr("event.name", name)
	lr.Body().SetStr("claude_code." + name)
	switch i % 4 {
	case 0:
		m.PutStr("tool_name", "Bash")
		m.PutStr("tool_use_id", "toolu_"+id)
		m.PutStr("decision", "accept")
		m.PutStr("source", "config")
	case 1:
		m.PutStr("tool_name", "Bash")
		m.PutStr("tool_use_id", "toolu_"+id)
		m.PutStr("success", "true")
		m.PutStr("duration_ms", "12")
		m.PutStr("tool_result_size_bytes", "800")
	case 2:
		m.PutStr("model", "claude-sonnet-4-5")
		m.PutStr("request_id", "req_"+id)
		m.PutStr("input_tokens", "2000")
		m.PutStr("output_tokens", "100")
		m.PutStr("cost_usd", "0.01")
		m.PutStr("duration_ms", "900")
		m.PutStr("query_source", "repl_main_thread")
	case 3:
		m.PutStr("hook_event", "PreToolUse")
	}
}
