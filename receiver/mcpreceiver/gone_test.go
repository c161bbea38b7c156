package mcpreceiver

import (
	"net/url"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/process"
)

// TestAgentsThatAreKilled end their sessions soon: they wait for nobody, hang nowhere, and have
// not failed.
func TestAgentsThatAreKilled(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("the system does not tell")
	}
	agent := exec.Command("sleep", "1000")
	require.NoError(t, agent.Start())
	killed := process.ID(agent.Process.Pid)
	synctest.Test(t, func(t *testing.T) {
		f := rowFixture(t)
		post := func(process, body string) {
			f.post(t, 0, step{Post: "/v1/hooks/claude-code?process=" + url.QueryEscape(process), Body: body})
		}
		use := `"tool_name":"Bash","tool_input":{"command":"make"},"tool_use_id":"t1"`
		run := func(process string) {
			post(process, `{"session_id":"s","hook_event_name":"SessionStart","source":"startup"}`)
			post(process, `{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"Go"}`)
			post(process, `{"session_id":"s","hook_event_name":"PreToolUse",`+use+`}`)
			post(process, `{"session_id":"s","hook_event_name":"PermissionRequest",`+use+`}`)
		}
		run(killed)
		time.Sleep(time.Minute)
		require.Equal(t, "waiting", f.row()["mcp.session.state.name"])
		require.NoError(t, agent.Process.Kill())
		_ = agent.Wait()
		time.Sleep(30 * time.Second)
		row := f.row()
		require.Equal(t, "done", row["mcp.session.state.name"], "%v", row)
		require.Equal(t, "gone", row["mcp.session.end_reason"])
		require.EqualValues(t, 0, row["mcp.summary.errors"])
		require.NotContains(t, row, "mcp.wait.kind")
		require.NotContains(t, row, "mcp.session.stalled.reason")

		run(killed) // of another machine, as far as this one can tell
		time.Sleep(time.Minute)
		require.Equal(t, "waiting", f.row()["mcp.session.state.name"])
	})
}

// TestAgentsThatLive keep their sessions, whatever ran their hooks.
func TestAgentsThatLive(t *testing.T) {
	if process.ID(os.Getpid()) == "" {
		t.Skip("the system does not tell")
	}
	shim := exec.Command("sleep", "1000")
	require.NoError(t, shim.Start())
	between := process.ID(shim.Process.Pid)
	synctest.Test(t, func(t *testing.T) {
		f := rowFixture(t)
		f.post(t, 0, step{Post: "/v1/hooks/claude-code?process=" + process.ID(os.Getpid()), Body: `{"session_id":"s","hook_event_name":"SessionStart"}`})
		f.post(t, 0, step{Post: "/v1/hooks/claude-code?process=" + between, Body: `{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"Go"}`})
		time.Sleep(30 * time.Second)
		require.NoError(t, shim.Process.Kill())
		_ = shim.Wait()
		time.Sleep(time.Minute)
		require.Equal(t, "running", f.row()["mcp.session.state.name"])
	})
}
