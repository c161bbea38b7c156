package agents

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/test/agents/model"
)

// What the script says of a call beside its name.
const (
	fails   = "fails"   // the tool reports an error
	refused = "refused" // a person or a rule does not let it run
	spawns  = "spawns"  // it starts a sub-agent
	exits   = "exits"   // a command that ends with another code than 0, which is no error to this agent
)

func labelled(label string, c model.Call) model.Call {
	c.Label = label
	return c
}

// expected holds what there was, as the model server and the MCP servers saw it.
type expected struct {
	calls      []call
	usage      model.Usage
	answers    int // of the model, that were no error
	failures   int // of the model
	children   int
	seen       map[string]int // calls that an MCP server got, by server/tool
	failing    int            // tool calls whose tool reports an error
	failingMCP int            // those of MCP servers
	unnamed    int            // MCP servers of which nothing says whose they are
}

// call is one tool call that the model gave out.
type call struct {
	id, tool     string
	server, name string // of an MCP tool
	label        string
}

// mcpTool finds the server and its tool in any agent's name for it.
var mcpTool = regexp.MustCompile(`(local|remote)(?:__|_|-|\.)(add|fail)$`)

func expect(t *testing.T, s *scene, m mode) expected {
	t.Helper()
	e := expected{seen: map[string]int{}}
	if m.everything() && s.agent.anonymous {
		e.unnamed = 1 // the one that it does not start itself
	}
	for _, a := range s.model.Answers() {
		if a.Side() && !m.otlp {
			continue // hooks do not tell of titles
		}
		if a.Status != 200 {
			e.failures++
			continue
		}
		e.answers++
		e.usage = e.usage.Add(a.Usage)
		for _, issued := range a.Calls {
			e.add(issued)
		}
	}
	for _, server := range []string{"local", "remote"} {
		for _, tool := range readSeen(t, s.seenFile(server)) {
			e.seen[server+"/"+tool]++
		}
	}
	return e
}

func (e *expected) add(issued model.Issued) {
	c := call{id: issued.ID, tool: issued.Tool, label: issued.Label}
	if found := mcpTool.FindStringSubmatch(issued.Namespace + "__" + issued.Tool); found != nil {
		c.server, c.name = found[1], found[2]
	}
	e.calls = append(e.calls, c)
	switch c.label {
	case spawns:
		e.children++
	case fails:
		e.failing++
		if c.server != "" {
			e.failingMCP++
		}
	}
}

// readSeen are the tools that an MCP server was asked for, in their order.
func readSeen(t *testing.T, path string) (tools []string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil
	}
	require.NoError(t, err)
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		var line struct {
			Tool string `json:"tool"`
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &line))
		tools = append(tools, line.Tool)
	}
	return tools
}
