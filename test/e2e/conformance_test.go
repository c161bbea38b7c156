package e2e

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// Why a scenario of the conformance suite does not apply to a server whose only
// features are the heartbeat tools, and the text by which its failure shows that
// it is for this reason.
type inapplicable struct{ why, shows string }

var (
	noFeature = inapplicable{"the server has no capability but tools", "MCP error -32601: this server serves tools only"}
	noFixture = inapplicable{"it calls a tool that servers have for this suite only", `MCP error -32602: unknown tool "test_`}
)

var inapplicables = map[string]inapplicable{
	"logging-set-level":             noFeature,
	"completion-complete":           noFeature,
	"tools-call-with-logging":       noFeature, // logging/setLevel comes first
	"resources-list":                noFeature,
	"resources-read-text":           noFeature,
	"resources-read-binary":         noFeature,
	"resources-templates-read":      noFeature,
	"resources-subscribe":           noFeature,
	"resources-unsubscribe":         noFeature,
	"prompts-list":                  noFeature,
	"prompts-get-simple":            noFeature,
	"prompts-get-with-args":         noFeature,
	"prompts-get-embedded-resource": noFeature,
	"prompts-get-with-image":        noFeature,
	"tools-call-simple-text":        noFixture,
	"tools-call-image":              noFixture,
	"tools-call-audio":              noFixture,
	"tools-call-embedded-resource":  noFixture,
	"tools-call-mixed-content":      noFixture,
	"tools-call-error":              noFixture,
	"tools-call-with-progress":      noFixture,
	"tools-call-sampling":           noFixture,
	"tools-call-elicitation":        noFixture,
	"elicitation-sep1034-defaults":  noFixture,
	"elicitation-sep1330-enums":     noFixture,
	"json-schema-2020-12":           {"it wants a tool with a certain schema", "json_schema_2020_12_tool"},
	"server-sse-polling":            {"it calls a tool of its own, and the server never closes a stream early: it answers with JSON", "0/0"},
}

// The scenarios of @modelcontextprotocol/conformance that a server with tools
// can meet pass, and each other one fails for the reason that is listed. A
// scenario that a new version adds must be put in its place here.
func TestConformance(t *testing.T) {
	node := node(t)
	suite, err := filepath.Abs(filepath.Join(peers, "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js"))
	require.NoError(t, err)
	c := startCollector(t, "sink.yaml", map[string]string{"SINK_ADDRESS": harness.StartSink(t).Address})
	out, err := exec.CommandContext(t.Context(), node, suite, "list", "--server").Output()
	require.NoError(t, err)
	passed := 0
	for _, scenario := range scenariosIn(string(out)) {
		t.Run(scenario, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), node, suite, "server", "--url", "http://"+c.mcp+"/mcp", "--scenario", scenario)
			cmd.Dir = t.TempDir() // it writes what it found
			out, err := cmd.CombinedOutput()
			if not, ok := inapplicables[scenario]; ok {
				assert.Contains(t, string(out), not.shows, not.why)
				return
			}
			require.NoError(t, err, "%s", out)
			require.Contains(t, string(out), ", 0 failed, 0 warnings")
			require.NotContains(t, string(out), "0/0")
			passed++
		})
	}
	assert.GreaterOrEqual(t, passed, 4, "initialize, ping, the list of tools, several streams at once")
}

// scenariosIn are the names in the suite's list.
func scenariosIn(list string) (names []string) {
	for line := range strings.Lines(list) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "- "); ok {
			names = append(names, name)
		}
	}
	return names
}
