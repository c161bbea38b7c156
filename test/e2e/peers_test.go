package e2e

import (
	"cmp"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// peers is the folder of the npm packages.
var peers = filepath.Join(harness.Root, "test", "peers")

// The committed transcripts are what the peers say today: a new recording has
// the same requests, notifications and outcomes.
func TestTranscriptsAreFresh(t *testing.T) {
	for _, scenario := range scenarios {
		t.Run(scenario, func(t *testing.T) {
			assert.Equal(t, shape(t, recorded(scenario)), shape(t, recordAgain(t, scenario)))
		})
	}
}

func recordAgain(t *testing.T, scenario string) string {
	t.Helper()
	node := harness.LookPath(t, "node")
	if !harness.IsFile(filepath.Join(peers, "node_modules", ".package-lock.json")) {
		harness.Missing(t, "the npm packages are not installed: npm ci --prefix test/peers")
	}
	fresh := filepath.Join(t.TempDir(), "fresh.ndjson")
	cmd := exec.CommandContext(t.Context(), node, "record.mjs", scenario, fresh)
	cmd.Dir = peers
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return fresh
}

// shape returns what two recordings share: what was said in each direction, in
// order, and how each request ended. Requests, notifications and replies are
// apart, since their order among each other is a matter of timing; and how
// often somebody polls is, too.
func shape(t *testing.T, path string) map[string][]string {
	t.Helper()
	spoken := map[string][]string{}
	open := map[string]string{}
	for _, o := range readTranscript(t, path).observations(t) {
		if o.Message == nil {
			spoken["end"] = append(spoken["end"], string(o.End))
			continue
		}
		kind, what := classify(*o.Message, o.Direction, open)
		said := spoken[o.Direction+" "+kind]
		if polls(what) && slices.Contains(said, what) {
			continue
		}
		spoken[o.Direction+" "+kind] = append(said, what)
	}
	return spoken
}

// classify names a frame; open maps ids in flight, with the side that asked, to methods.
func classify(m message, direction string, open map[string]string) (kind, what string) {
	switch {
	case m.Method != "" && m.ID != nil:
		open[direction+string(m.ID)] = m.Method
		return "requests", m.Method
	case m.Method != "":
		return "notifications", m.Method
	}
	asked := open[opposite(direction)+string(m.ID)]
	return "replies", cmp.Or(asked, "to no request") + ": " + outcome(m)
}

func outcome(m message) string {
	switch {
	case m.Error != nil:
		return fmt.Sprintf("error %d", m.Error.Code)
	case m.Result != nil && m.Result.IsError:
		return "isError"
	}
	return "result"
}

func polls(what string) bool { return what == "tasks/get" || what == "tasks/get: result" }

func opposite(direction string) string {
	if direction == "client_to_server" {
		return "server_to_client"
	}
	return "client_to_server"
}
