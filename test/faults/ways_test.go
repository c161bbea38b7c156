package faults

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-mcp/otelcol-mcp/test/eventsource"
	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// occurring is the type of the events of a soak.
const occurring = "incident.created"

type eventServer struct {
	*eventsource.Server
	url string
}

func startEvents(t *testing.T) eventServer {
	t.Helper()
	events := &eventsource.Server{Generation: 3, Types: []eventsource.Type{{Name: occurring, Delivery: []string{"push"}, Durable: true}}}
	server := httptest.NewServer(events)
	t.Cleanup(server.Close)
	t.Cleanup(events.Restart) // streams break off
	return eventServer{events, server.URL + "/mcp"}
}

// raiseEvents makes events occur. What occurs before somebody subscribes does not
// count.
func (s *senders) raiseEvents(ctx context.Context, server eventServer) {
	for n := 0; ctx.Err() == nil; n++ {
		<-time.After(s.pace)
		if server.Count("events/stream") == 0 {
			continue
		}
		id := fmt.Sprintf("e-%d", n)
		server.Append(eventsource.Event{ID: id, Name: occurring, Data: fmt.Sprintf(`{"n":%d}`, n)})
		s.note(&s.acknowledged, id)
	}
}

// writeTraceFiles removes what has been read, as those do who rotate files.
func (s *senders) writeTraceFiles(ctx context.Context, t *testing.T, folder string) {
	for n := 0; ctx.Err() == nil; n++ {
		tool := fmt.Sprintf("f-%d", n)
		writeLine(t, folder, n, fmt.Sprintf(line, n+1, tool))
		s.note(&s.acknowledged, tool)
		if n%500 == 250 {
			old, _ := filepath.Glob(filepath.Join(folder, fmt.Sprintf("%d-*", n/500-1)))
			for _, each := range old {
				assert.NoError(t, os.Remove(each))
			}
		}
		<-time.After(s.pace)
	}
}

// runTaps runs a server behind mcptap, and another one when it has had its calls.
func (s *senders) runTaps(ctx context.Context, t *testing.T) {
	for n := 0; ctx.Err() == nil; n++ {
		session := fmt.Sprintf("t-%d", n)
		tap := exec.Command(harness.Tap(t), "--endpoint", "http://"+s.address+"/v1/observations", "--session", session, "--", "/bin/sh", "-c", answers)
		in, err := tap.StdinPipe()
		assert.NoError(t, err)
		out, err := tap.StdoutPipe()
		assert.NoError(t, err)
		if !assert.NoError(t, tap.Start()) {
			return
		}
		replies := bufio.NewScanner(out)
		for id := 0; id < s.calls && ctx.Err() == nil; id++ {
			tool := fmt.Sprintf("%s-%d", session, id)
			_, err := io.WriteString(in, strings.TrimPrefix(request(tool, id, s.payload), `"message":`)+"\n")
			assert.NoError(t, err)
			assert.True(t, replies.Scan(), "the pair is broken")
			s.note(&s.acknowledged, tool)
			<-time.After(s.pace)
		}
		assert.NoError(t, in.Close())
		assert.NoError(t, tap.Wait())
		s.note(&s.sessions, session)
	}
}

// reported is Claude Code's OTLP record of a tool that has run.
const reported = `{"resourceLogs":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"claude-code"}}]},"scopeLogs":[{
"scope":{"name":"com.anthropic.claude_code.events","version":"2.1.330"},"logRecords":[{"timeUnixNano":"%[1]d","body":{"stringValue":"claude_code.tool_result"},"attributes":[
{"key":"session.id","value":{"stringValue":"%[2]s"}},{"key":"event.name","value":{"stringValue":"tool_result"}},
{"key":"event.sequence","value":{"intValue":"%[4]d"}},{"key":"tool_use_id","value":{"stringValue":"u-%[3]s"}},
{"key":"tool_name","value":{"stringValue":"%[3]s"}},{"key":"success","value":{"stringValue":"true"}},{"key":"duration_ms","value":{"intValue":"12"}}]}]}]}]}`

// reportTools is an agent that tells its tools over OTLP, in sessions without an
// end.
func (s *senders) reportTools(ctx context.Context, t *testing.T, otlp string) {
	for n := 0; ctx.Err() == nil; n++ {
		tool := fmt.Sprintf("a-%d", n)
		body := fmt.Sprintf(reported, time.Now().UnixNano(), fmt.Sprintf("agent-%d", n/s.calls), tool, n%s.calls)
		s.until(func() bool {
			response, err := s.client.Post("http://"+otlp+"/v1/logs", "application/json", strings.NewReader(body))
			if err != nil {
				return false
			}
			text, _ := io.ReadAll(response.Body)
			_ = response.Body.Close()
			assert.NotContains(t, string(text), "rejected")
			return response.StatusCode == http.StatusOK
		})
		s.note(&s.acknowledged, tool)
		<-time.After(s.pace)
	}
}

// callByHooks is an agent that runs a hook before and after each tool.
func (s *senders) callByHooks(ctx context.Context) {
	hook := func(session, event, tool string) {
		body := fmt.Sprintf(`{"session_id":%q,"hook_event_name":%q`, session, event)
		if tool != "" {
			body += fmt.Sprintf(`,"tool_name":%q,"tool_use_id":"u-%s","tool_input":{"a":%q}`, tool, tool, s.payload)
		}
		s.until(func() bool {
			status := postTo(s.address, "/v1/hooks/claude-code", []byte(body+"}"))
			return status == "200" || status == "202"
		})
	}
	for n := 0; ctx.Err() == nil; n++ {
		session := fmt.Sprintf("h-%d", n)
		hook(session, "SessionStart", "")
		for id := range s.calls {
			tool := fmt.Sprintf("%s-%d", session, id)
			hook(session, "PreToolUse", tool)
			<-time.After(s.pace)
			hook(session, "PostToolUse", tool)
			s.note(&s.acknowledged, tool)
		}
		hook(session, "SessionEnd", "")
	}
}
