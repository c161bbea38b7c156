package telemetry

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

var (
	testTrace   = identity.TraceID{1}
	testSpan    = identity.SpanID{2}
	testParent  = identity.SpanID{3}
	testMarker  = identity.SpanID{4}
	testSession = &store.SessionRecord{
		Epoch:   store.Epoch{ID: "s", Trace: testTrace, Root: testParent, Start: 1, Number: 1},
		Parties: store.Parties{Client: "host", Info: &store.PeerInfo{Server: store.Peer{Name: "srv", Version: "2"}}},
		Host:    store.Host{IsHost: true, Phase: &store.Phase{Name: mcpconv.PhaseWorking}},
		Summary: store.Summary{ToolCalls: 3, WaitingNs: 2e6},
	}
	testPlace = store.Place{Trace: testTrace, Span: testSpan, Parent: testParent}
)

func testOptions() *Options {
	return &Options{
		Inspector: true, Payloads: true, PayloadInspector: true, TextBytes: 64, ScopeName: "test",
		Names: NewNames(9), Logs: true, Metrics: true,
	}
}

// dump is one line for each span, then for each log record.
func dump(b *Batch) (lines []string) {
	td, _ := b.Traces()
	for _, rs := range td.ResourceSpans().All() {
		service, _ := rs.Resource().Attributes().Get(mcpconv.ServiceName)
		for _, span := range rs.ScopeSpans().At(0).Spans().All() {
			var line strings.Builder
			fmt.Fprintf(&line, "%s: %s %s<%s %d-%d %s%s", service.Str(), span.Name(), span.SpanID(), span.ParentSpanID(),
				span.StartTimestamp(), span.EndTimestamp(), span.Kind(), pairs(span.Attributes()))
			for _, e := range span.Events().All() {
				fmt.Fprintf(&line, " (%s@%d%s)", e.Name(), e.Timestamp(), pairs(e.Attributes()))
			}
			for _, l := range span.Links().All() {
				fmt.Fprintf(&line, " ->%s", l.SpanID())
			}
			lines = append(lines, strings.ReplaceAll(line.String(), "00000000000000", ""))
		}
	}
	ld, _ := b.Logs()
	for _, rl := range ld.ResourceLogs().All() {
		service, _ := rl.Resource().Attributes().Get(mcpconv.ServiceName)
		for _, lr := range rl.ScopeLogs().At(0).LogRecords().All() {
			lines = append(lines, logLine(service.Str(), lr))
		}
	}
	return lines
}

func logLine(service string, lr plog.LogRecord) string {
	line := fmt.Sprintf("%s: [%s] %s@%d %s %q", service, lr.EventName(), lr.SpanID(), lr.Timestamp(), lr.SeverityText(), lr.Body().Str())
	return strings.ReplaceAll(line, "00000000000000", "")
}

func pairs(m pcommon.Map) string {
	var text strings.Builder
	for key, value := range m.All() {
		text.WriteString(" " + strings.TrimPrefix(key, "mcp.") + "=" + value.AsString())
	}
	return text.String()
}

func testNotice(name string, n event.Notice) *session.Notice {
	n.Version = "2.0"
	return &session.Notice{
		Notice: &n, Envelope: &event.Envelope{Transport: "stdio"}, Session: testSession, Name: name,
		Trace: testTrace, Span: testSpan, Parent: testParent, Time: 5, Sender: "host",
	}
}

func toolCall() *session.CallEnd {
	return &session.CallEnd{
		Session: testSession, Time: 2e6,
		Call: &store.CallRecord{
			Place: testPlace, Key: store.CallKey{ID: `"7"`, FromClient: true}, Kind: event.ToolCall,
			Method: mcpconv.MethodToolsCall, Start: 5, Version: "2.0", Token: `"t"`,
			Content: store.Content{Target: "echo", Input: `{"a":1}`},
			Updates: store.Updates{Progress: []store.Progress{{Time: 6, Progress: 0.5}}, Count: 1},
		},
		Reply: &event.Reply{Result: event.Result{Raw: "{}", Content: `[{}]`}},
	}
}

// calls are the ends of one call of each kind.
var calls = map[string]struct {
	end  *session.CallEnd
	want string
}{
	"tool": {toolCall(), `mcp-client: tool.call 02<03 5-2000000 Client session.id=s jsonrpc.version=2.0 rpc.method=tools/call ` +
		`rpc.direction=outbound rpc.id=7 rpc.duration_ms=1 progress.token=t tool.name=echo tool.input_json={"a":1} ` +
		`tool.output_json={"content":[{}],"isError":false} status.code=ok (progress@6 progress.token=t progress.progress=0.5)`},
	"hook": {&session.CallEnd{Session: testSession, Time: 9, Use: &event.ToolUse{Duration: "3", Output: `"out"`}, Call: &store.CallRecord{
		Place: testPlace, Key: store.CallKey{ID: store.GeneratedID + `x"`, FromClient: true}, Kind: event.ToolCall, Source: event.Hook,
		Method: mcpconv.MethodToolsCall, Start: 5, SubAgent: "a1", Content: store.Content{Target: "Bash"},
	}}, `mcp-client: tool.call 02<03 5-9 Internal session.id=s tool.name=Bash agent.id=a1 tool.duration_ms=3 tool.output_json="out" status.code=ok`},
	"acp tool": {&session.CallEnd{Time: 9, Incomplete: true, Call: &store.CallRecord{
		Place: testPlace, Kind: event.ToolCall, Source: event.ACPUpdate, Method: mcpconv.MethodSessionUpdate, Start: 5, Version: "2.0",
		Content: store.Content{Target: "read", Output: `"o"`}, Tool: store.Tool{ToolID: "t1", ToolKind: "read", ToolStatus: "completed"},
	}}, `mcp-server: tool.call 02<03 5-9 Client jsonrpc.version=2.0 rpc.method=session/update rpc.direction=inbound rpc.duration_ms=0 ` +
		`tool.name=read tool.call_id=t1 tool.kind=read tool.status=completed tool.output_json="o" span.incomplete=true status.code=ok`},
	"resource": {&session.CallEnd{Time: 9, Reply: &event.Reply{Result: event.Result{Raw: "{}", MimeType: `"text/plain"`, Bytes: 4}}, Call: &store.CallRecord{
		Place: testPlace, Kind: event.ResourceRead, Method: mcpconv.MethodResourcesRead, Start: 5, Version: "2.0", Content: store.Content{Target: "file:///x"},
	}}, `mcp-server: resource.fetch 02<03 5-9 Client jsonrpc.version=2.0 rpc.method=resources/read rpc.direction=inbound rpc.duration_ms=0 ` +
		`resource.uri=file:///x resource.mime_type=text/plain resource.bytes=4 status.code=ok`},
	"permission": {&session.CallEnd{Time: 9, Reply: &event.Reply{Result: event.Result{Permission: "allow"}}, Call: &store.CallRecord{
		Place: testPlace, Kind: event.Permission, Method: mcpconv.MethodRequestPermit, Start: 5, Version: "2.0",
	}}, `mcp-server: signal.wait 02<03 5-9 Client jsonrpc.version=2.0 rpc.method=session/request_permission rpc.direction=inbound rpc.duration_ms=0 ` +
		`signal.name=permission signal.action=allow status.code=ok`},
	"prompt": {&session.CallEnd{Session: testSession, Time: 9, Call: &store.CallRecord{
		Place: testPlace, Key: store.CallKey{ID: "1", FromClient: true}, Kind: event.AgentPrompt, Method: mcpconv.MethodSessionPrompt, Start: 5, Version: "2.0",
	}, Outcome: session.Outcome{Failed: true, Code: "TIMEOUT", Message: "late"}}, `mcp-client: agent.call 02<03 5-9 Client session.id=s jsonrpc.version=2.0 ` +
		`rpc.method=session/prompt rpc.direction=outbound rpc.id=1 rpc.duration_ms=0 agent.name=srv status.code=error error.code=TIMEOUT error.message=late`},
	"other": {&session.CallEnd{Time: 9, Call: &store.CallRecord{
		Place: testPlace, Key: store.CallKey{ID: "1"}, Method: "x/y", Start: 5, Version: "2.0", Peers: store.Peers{ServerURI: "http://u:p@h/?q"},
	}}, `mcp-server: x/y 02<03 5-9 Client jsonrpc.version=2.0 rpc.method=x/y rpc.direction=inbound rpc.id=1 rpc.duration_ms=0 ` +
		`rpc.server_uri=http://h/ status.code=ok`},
}

func TestCallEnded(t *testing.T) {
	for name, c := range calls {
		t.Run(name, func(t *testing.T) {
			b := NewBatch(testOptions(), 7)
			b.CallEnded(c.end)
			require.Equal(t, []string{c.want}, dump(b))
		})
	}
}

func TestNotice(t *testing.T) {
	const message = "session.id=s jsonrpc.version=2.0 rpc.method=%s rpc.direction=inbound rpc.transport=stdio "
	for name, c := range map[string]struct {
		notice event.Notice
		attrs  string
		record string
	}{
		mcpconv.HostHeartbeat: {
			event.Notice{Params: "{}", Detail: &event.HostStatus{Phase: `"idle"`, TokensUsed: "1", TokensLimit: "4"}},
			message + `host.phase=idle host.tokens.used=1 host.tokens.limit=4 host.tokens.percent=25 notification.params_json={} status.code=ok`,
			`DEBUG "notifications/host.heartbeat"`,
		},
		mcpconv.HostTokenPressure: {
			event.Notice{Detail: &event.HostReport{Kind: event.PressureReport, Percent: "80", Threshold: `"warn"`}},
			message + `host.tokens.percent=80 host.tokens.threshold=warn status.code=ok`, `WARN "notifications/host.token_pressure"`,
		},
		mcpconv.NotificationMessage: {
			event.Notice{Detail: &event.Log{Level: `"error"`, Data: `"boom"`}},
			message + `log.level=error log.data_json="boom" status.code=ok`, `error "boom"`,
		},
		mcpconv.NotificationReminder: {
			event.Notice{Contact: event.Contact{Method: mcpconv.NotificationReminder}, Detail: &event.Reminder{ID: `"r"`, Body: `"do"`, Tags: `["a",1]`}},
			message + `reminder.id=r reminder.body=do reminder.tags=["a"] status.code=ok`, `INFO "do"`,
		},
		mcpconv.NotificationProgress: {
			event.Notice{Detail: &event.Progress{Token: "1", Value: "2"}},
			message + `progress.token=1 progress.progress=2 status.code=ok`, `INFO "notifications/progress"`,
		},
		mcpconv.SpanOrphan: {
			event.Notice{Form: event.Response, RPCID: `"q"`, Detail: &event.Subject{URI: `"u"`}},
			"session.id=s jsonrpc.version=2.0 rpc.direction=outbound rpc.id=q rpc.transport=stdio resource.uri=u status.code=ok", `INFO "rpc.orphan_reply"`,
		},
		"hook.PreCompact": {
			event.Notice{Source: event.Hook, Params: `{"x":1}`, Detail: &event.HookInfo{Trigger: `"auto"`, Prompt: `"go"`, Weight: event.HookWarns}},
			`session.id=s host.compaction.reason=auto workflow.input_json="go" notification.params_json={"x":1} status.code=ok`, `WARN "go"`,
		},
		mcpconv.SpanTransport: {
			event.Notice{Source: event.Transport, Detail: &event.TransportStatus{Status: "connected"}},
			`session.id=s transport.status=connected rpc.transport=stdio status.code=ok`, `INFO "transport.status"`,
		},
		"inspector.Heartbeat": {
			event.Notice{Source: event.Inspector, Detail: &event.Deltas{Tokens: 5}},
			`session.id=s heartbeat.llm_calls_delta=0 heartbeat.tokens_delta=5 heartbeat.tool_calls_delta=0 status.code=ok`, `DEBUG "inspector.Heartbeat"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := NewBatch(testOptions(), 7)
			b.Notice(testNotice(name, c.notice))
			service := "host"
			if c.notice.Source == event.Inspector {
				service = "mcp-agent"
			}
			require.Equal(t, []string{
				service + ": " + name + " 02<03 5-6 Internal " + strings.ReplaceAll(c.attrs, "%s", name),
				service + ": [" + name + "] 02@5 " + c.record,
			}, dump(b))
		})
	}
}

func TestSessions(t *testing.T) {
	b := NewBatch(testOptions(), 7)
	b.SessionStarted(testSession, testMarker)
	b.PhaseStarted(testSession, &store.Phase{Name: "idle", Start: 2, Span: testSpan})
	b.PhaseEnded(&session.PhaseEnd{Session: testSession, Phase: &store.Phase{Name: "idle", Start: 2, Span: testSpan, Parent: testParent}, Time: 3})
	b.Watched(&session.Watch{Name: mcpconv.SpanHostStalled, Session: testSession, Span: testSpan, Time: 4, Silent: 3e9})
	b.SessionEnded(&session.SessionEnd{Session: testSession, Time: 9, Reason: "idle", Summary: testSpan, Host: identity.Context{Span: testMarker}, Totals: testSession.Summary})
	const session = "session.id=s workflow.type=host_session server.name=srv server.version=2 "
	require.Equal(t, []string{
		"host: session.start 04<03 1-2 Internal " + strings.Replace(session, "server.name", "client.name=host server.name", 1) + "status.code=ok",
		"host: host.phase 02<03 2-3 Internal session.id=s host.phase=idle status.code=ok",
		"host: mcp.host.stalled 02< 4-5 Internal session.id=s host.phase=working silent_ms=3000 status.code=error error.code=TIMEOUT " +
			"error.message=The agent host has been silent for 3s in phase working",
		"host: session.summary 02<03 9-10 Internal session.id=s summary.llm_calls=0 summary.tokens=0 summary.tool_calls=3 summary.resources=0 " +
			"summary.prompts=0 summary.agents=0 summary.notices=0 summary.errors=0 summary.waiting_ms=2 status.code=ok",
		"host: workflow.run 03< 1-11 Internal " + strings.Replace(session, "server.name", "client.name=host server.name", 1) + "session.end_reason=idle status.code=ok ->04",
		`host: [session.start] 03@1 INFO "session.start"`,
		`host: [phase.start] 02@2 INFO "phase.start"`,
		`host: [mcp.host.stalled] 02@4 WARN "The agent host has been silent for 3s in phase working"`,
		`host: [session.end] 03@9 INFO "session.end"`,
	}, dump(b))
}

func TestWaitsAndAgents(t *testing.T) {
	b := NewBatch(testOptions(), 7)
	w := &store.Wait{Name: "approve", Prompt: "ok?", Start: 2, Span: testSpan, Parent: testParent}
	b.WaitStarted(&session.WaitStart{Session: testSession, Wait: w, Marker: testMarker})
	b.WaitEnded(&session.WaitEnd{Wait: w, Call: toolCall().Call, Time: 3, Action: "accept"})
	g := &store.Agent{ID: "a1", Type: "explore", Spawned: "{}", Start: 4, Span: testSpan, Parent: testParent, Sender: "host", Seen: true}
	b.AgentStarted(testSession, g, testMarker)
	b.AgentEnded(&session.AgentEnd{Session: testSession, Agent: g, Time: 6, Completed: &event.SubAgent{Outcome: `"success"`, Duration: "1.5", Tokens: "9"}})
	b.CallStarted(session.CallStart{Session: testSession, Call: &store.CallRecord{Place: testPlace, Kind: event.Elicitation, Start: 7}, Marker: testMarker})
	b.CallStarted(session.CallStart{Call: &store.CallRecord{Place: testPlace, Method: "x/y", Start: 8}})
	require.Equal(t, []string{
		"host: signal.start 04<02 2-3 Internal session.id=s signal.name=approve signal.prompt=ok? status.code=ok",
		"host: agent.start 04<02 4-5 Internal session.id=s agent.id=a1 agent.name=explore status.code=ok",
		"host: agent.call 02<03 4-6 Internal session.id=s agent.id=a1 agent.name=explore agent.outcome=success agent.duration_seconds=1.5 " +
			"agent.tokens.used=9 status.code=ok (spawned@4 notification.params_json={}) (completed@6)",
		"mcp-client: signal.wait 02<03 2-3 Internal signal.name=approve signal.prompt=ok? signal.action=accept status.code=ok",
		"mcp-server: signal.start 04<02 7-8 Internal session.id=s signal.name=elicitation status.code=ok",
		`host: [signal.start] 02@2 WARN "signal.start"`,
		`host: [agent.start] 02@4 INFO "agent.start"`,
		`mcp-server: [signal.start] 02@7 WARN "signal.start"`,
		`mcp-server: [call.start] 02@8 INFO "call.start"`,
	}, dump(b))
}

func TestOccurredAndInBand(t *testing.T) {
	b := NewBatch(testOptions(), 7)
	b.Occurred(&session.Occurrence{
		Occurrence: &event.Occurrence{Method: mcpconv.EventOccurred, Server: "srv", ID: "e1", Name: "made", Data: `{}`}, Time: 5, Span: testSpan,
	})
	spans := event.JSON(`[{"scopeSpans":[{"spans":[{"traceId":"01000000000000000000000000000000","spanId":"0200000000000000","name":"in"},` +
		`{"traceId":"02000000000000000000000000000000","spanId":"0200000000000000"}]}]}]`)
	accepted, refused := b.InBand(&session.InBand{Spans: spans, Belongs: func(id identity.TraceID) bool { return id == testTrace }})
	require.Equal(t, []int{1, 1}, []int{accepted, refused})
	require.Equal(t, []string{
		"srv: notifications/events/event 02< 5-6 Internal jsonrpc.version=2.0 rpc.method=notifications/events/event rpc.direction=inbound " +
			"rpc.transport=http event.id=e1 event.name=made event.data_json={} status.code=ok",
		": in 02< 0-0 Unspecified in_band=true",
		`srv: [made] 02@5 INFO "{}"`,
	}, dump(b))
}

// TestAround: what lies in a span ends with it at the latest, also what has no duration and
// was reported at the span's end.
func TestAround(t *testing.T) {
	b := NewBatch(testOptions(), 7)
	turn, call := identity.SpanID{1}, identity.SpanID{2}
	b.around(place{span: identity.SpanID{3}, parent: call, start: 9, end: 9})
	require.Equal(t, int64(10), b.around(place{span: call, parent: turn, start: 5, end: 9}).end)
	require.Equal(t, int64(10), b.around(place{span: turn, start: 1, end: 9}).end)
	require.Equal(t, int64(9), b.around(place{span: identity.SpanID{4}, parent: turn, start: 1, end: 9}).end)
	b.Release()
	require.Equal(t, int64(9), NewBatch(testOptions(), 7).around(place{span: turn, start: 1, end: 9}).end)
}
