package agents

import (
	"cmp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// at is a target on this machine unless it names others.
func at(t Target) Target {
	t.Endpoint, t.OTLP, t.State = cmp.Or(t.Endpoint, DefaultEndpoint), cmp.Or(t.OTLP, DefaultOTLP), "/s"
	return t
}

func TestCommands(t *testing.T) {
	unix, windows := Machine{OS: "linux"}, Machine{OS: "windows"}
	guarded := func(command string) string {
		return "exec /bin/sh -c '" + guardPOSIX + "' /s/codex.hook-failed " + command
	}
	for want, got := range map[string]string{
		guarded("/opt/mcptap hook codex"): at(Target{Program: "/opt/mcptap"}).hook(unix, "codex", native),
		guarded(`'/it'\''s/mcptap' hook codex --endpoint 'http://c/?a=b&c'`): at(Target{
			Program: "/it's/mcptap", Endpoint: "http://c/?a=b&c",
		}).hook(unix, "codex", posix),
		guarded(`C:/Users/me/mcptap.exe hook codex`): at(Target{Program: `C:\Users\me\mcptap.exe`}).hook(windows, "codex", posix),
		`C:\"Program Files"\mcptap.exe hook codex --otlp-endpoint http://o:1 ; exit 0`: at(Target{
			Program: `C:\Program Files\mcptap.exe`, OTLP: "http://o:1",
		}).hook(windows, "codex", native),
		`Remove-Item Env:GOMEMLIMIT,Env:GOGC,Env:GODEBUG,Env:GOTRACEBACK,Env:GOMAXPROCS,Env:GOCOVERDIR -ErrorAction Ignore; ` +
			`try { & 'C:\it''s\mcptap.exe' hook codex *>$null; if ($LASTEXITCODE) { Set-Content '/s/codex.hook-failed' $LASTEXITCODE } } ` +
			`catch { try { Set-Content '/s/codex.hook-failed' 127 } catch {} }; exit 0`: at(Target{
			Program: `C:\it's\mcptap.exe`,
		}).hook(windows, "codex", powerShell),
		guarded(`/opt/mcptap hook codex --headers 'X-Team=a%20b,X-User=u'`): at(Target{
			Program: "/opt/mcptap", Headers: "X-Team=a%20b,X-User=u",
		}).hook(unix, "codex", native),
		`mcptap hook codex --headers "X-Team=a%20b" ; exit 0`: at(Target{Program: "mcptap", Headers: "X-Team=a%20b"}).hook(windows, "codex", native),
	} {
		assert.Equal(t, want, got)
	}
}

func TestOurs(t *testing.T) {
	for text, ours := range map[string]bool{
		"/opt/mcptap hook codex": true, "'/a b/mcptap' hook codex --endpoint x || true": true, "/opt/mcptap hook codex2": false,
		"/opt/mcptap hook claude-code": false, "my-tool hook codex": false,
	} {
		v := map[string]any{"hooks": []any{map[string]any{"command": text}}}
		assert.Equal(t, ours, ByName("codex").IsOurs(v), text)
		assert.False(t, ByName("codex").Posts(v))
	}
	assert.True(t, ByName("codex").Posts([]any{"curl http://localhost:4319/v1/hooks/codex"}))
	assert.Nil(t, ByName("nobody"))
}

func TestOpencodePlugin(t *testing.T) {
	for endpoint, want := range map[string]string{DefaultEndpoint: `|| "http://localhost:4319")`, "http://c:1": `|| "http://c:1")`} {
		plugin := opencodePlugin(Target{Endpoint: endpoint})
		assert.True(t, IsWhole(plugin))
		assert.Equal(t, 1, strings.Count(string(plugin), want))
	}
}

// Codex's own program, version 0.169, computes the same.
func TestCodexHash(t *testing.T) {
	assert.Equal(t, "sha256:17ad1bcdbf808d5de5c3b2cb4dcf7289028417a5bfe14f0190ac43e4226d29ac",
		codexHash("session_start", map[string]any{"command": "/opt/bin/mcptap hook codex", "timeout": 3.0}))
}

// The plugin has both addresses of the collector.
func TestOpenCodePlugin(t *testing.T) {
	plugin := string(opencodePlugin(Target{Endpoint: DefaultOTLP, OTLP: "http://c:2"}))
	assert.Contains(t, plugin, `|| "`+DefaultOTLP+`"`)
	assert.Contains(t, plugin, `|| "http://c:2"`)
	assert.NotContains(t, plugin, `"`+DefaultEndpoint+`"`)
	assert.Contains(t, plugin, `extra = "" || process.env.MCPTAP_HEADERS`)
	assert.Contains(t, string(opencodePlugin(Target{Headers: "X-Team=a"})), `extra = "X-Team=a" || process.env.MCPTAP_HEADERS`)
}

// Names of MCP tools are hashed unless content is sent, and that is said.
func TestCopilotNotes(t *testing.T) {
	notes := func(content bool, value string) string {
		m := Machine{Env: func(name string) string { return map[string]string{copilotContent: value}[name] }}
		return strings.Join(copilot.Notes(m, Target{OTLP: DefaultOTLP, Content: content}), "\n")
	}
	assert.Contains(t, notes(false, ""), "hashes the names of MCP tools unless "+copilotContent+"=true")
	assert.NotContains(t, notes(false, "true"), "hashes")
	assert.NotContains(t, notes(true, ""), "hashes")
	assert.Contains(t, notes(true, ""), "export "+copilotContent+"=true")
}
