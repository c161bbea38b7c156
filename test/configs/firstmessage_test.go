package configs

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// firstMessage is docs/first-message.md: the commands of its first block for the ports of a collector, and its last part.
func firstMessage(t *testing.T, p ports) (commands, jaeger string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(harness.Root, "docs", "first-message.md"))
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(text), "```sh\n")
	require.True(t, found)
	commands, rest, _ = strings.Cut(rest, "```\n")
	_, jaeger, found = strings.Cut(rest, "In a third terminal")
	require.True(t, found)
	return strings.NewReplacer("localhost:4319", p.mcp, "localhost:7810", p.page).Replace(commands), jaeger
}

func runCommands(t *testing.T, commands string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "bash", "-euc", commands).Output()
	require.NoError(t, err)
	return string(out)
}

// TestFirstMessage does what docs/first-message.md says, and gets what it says: a 202, and four spans in five lines.
func TestFirstMessage(t *testing.T) {
	p := start(t, []string{"XDG_STATE_HOME=" + t.TempDir()}, "--config", "embedded:default")
	commands, _ := firstMessage(t, p)
	head, body, found := strings.Cut(runCommands(t, commands), "\r\n\r\n")
	require.True(t, found)
	assert.True(t, strings.HasPrefix(head, "HTTP/1.1 202 Accepted"), head)
	lines, spans := 0, map[string]string{}
	for line := range strings.Lines(body) {
		var span struct {
			Name string `json:"name"`
			ID   string `json:"span_id"`
		}
		require.NoError(t, json.Unmarshal([]byte(line), &span), line)
		lines, spans[span.ID] = lines+1, span.Name
	}
	assert.Equal(t, 5, lines)
	assert.Len(t, spans, 4, "%v", spans)
}

// TestFirstMessageInJaeger: Jaeger gets the spans that the page names, by the names that the configuration gives them.
func TestFirstMessageInJaeger(t *testing.T) {
	b, endpoint := startBackend(t)
	p := start(t, []string{"JAEGER_ENDPOINT=" + endpoint}, "--config", "embedded:jaeger")
	commands, jaeger := firstMessage(t, p)
	send, _, _ := strings.Cut(commands, "curl --compressed")
	runCommands(t, send)
	require.Eventually(t, func() bool { return len(b.received()) >= 4 }, 30*time.Second, 50*time.Millisecond)
	for _, span := range b.received() {
		assert.Contains(t, jaeger, "`"+span.Name()+"`")
	}
}
