package store

import (
	"cmp"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// GeneratedID begins the ids, JSON, of tool calls that their agent gave none.
const GeneratedID = `"#`

// GivenToolID is the id that the agent itself gave the call of a tool, "" if it
// gave none or did not report the call. Of a call that was found by its name and time
// it is the one that a later report has.
func (c *CallRecord) GivenToolID() string {
	if c.Kind != event.ToolCall || !c.OfAgent() {
		return ""
	}
	if strings.HasPrefix(c.Key.ID, GeneratedID) {
		return event.JSON(c.Use).Str()
	}
	return event.JSON(c.Key.ID).Str()
}

// IsUpdate reports whether the call is a tool call that an ACP agent reports in
// updates, rather than a request.
func (c *CallRecord) IsUpdate() bool { return c.Method == mcpconv.MethodSessionUpdate }

// IsToolCall reports whether the call is of a tool of an MCP server or of an
// agent with hooks.
func (c *CallRecord) IsToolCall() bool { return c.Kind == event.ToolCall && !c.IsUpdate() }

// ToolName is the tool as its MCP server calls it, if it is of one and that is
// known; else as the call has it.
func (c *CallRecord) ToolName() string { return cmp.Or(c.ownName(), c.Target) }

func (c *CallRecord) ownName() string {
	if c.Report != nil && c.Report.Name != "" {
		return c.Report.Name
	}
	if c.Server == "" {
		return ""
	}
	for _, prefix := range []string{"mcp__" + c.Server + "__", "mcp_" + c.Server + "_"} {
		if name, ok := strings.CutPrefix(c.Target, prefix); ok {
			return name
		}
	}
	return ""
}
