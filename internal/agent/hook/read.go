package hook

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/jsonrpc"
)

// SubAgent is the sub-agent that the hook is about.
func (b *Body) SubAgent() event.SubAgent {
	return event.SubAgent{ID: b.Agent.ID, Type: b.Agent.Type, Task: b.Agent.Task, Model: b.Agent.Model}
}

// ToolUse is the call of a tool that the hook is about. Tools of MCP servers are
// called mcp__{server}__{tool}, as most agents do.
func (b *Body) ToolUse() event.ToolUse {
	t := &b.Tool
	use := event.ToolUse{
		Tool: t.Name, Input: t.Input, SubAgent: b.Agent.ID, Duration: t.Duration, Output: t.Output,
	}
	use.Server, use.Name = SplitName(t.Name.Str())
	if name := jsonrpc.Member(t.Server, "name").Str(); name != "" {
		use.Server = name
	}
	if t.ID.IsString() && t.ID != `""` {
		use.ID = t.ID
	}
	return use
}

// SplitName is the server and the tool of mcp__{server}__{tool}, "" of any other
// name.
func SplitName(name string) (server, tool string) {
	rest, ok := strings.CutPrefix(name, "mcp__")
	server, tool, found := strings.Cut(rest, "__")
	if !ok || !found || server == "" {
		return "", ""
	}
	return server, tool
}

// When is the time that the hook itself names, Unix ns; 0 if it names none.
func (b *Body) When() int64 {
	if ms, ok := b.Time.Int(); ok && ms > 0 && ms < 1<<43 { // until the year 2248
		return ms * int64(time.Millisecond)
	}
	t, err := time.Parse(time.RFC3339Nano, b.Time.Str())
	if err != nil || t.Year() < 1970 || t.Year() > 2248 {
		return 0
	}
	return t.UnixNano()
}

// ErrorType and ErrorText are the parts of an error, which is a text or an object
// with name and message.
func (b *Body) ErrorType() string { return jsonrpc.Member(b.Error, "name").Str() }

// ErrorText is the text of the error.
func (b *Body) ErrorText() string {
	return cmp.Or(b.Error.Str(), jsonrpc.Member(b.Error, "message").Str())
}

// Seconds is a number of milliseconds as one of seconds, "" if it is none.
func Seconds(ms jsonscan.Value) jsonscan.Value {
	n, ok := ms.Float()
	if !ok || n < 0 {
		return ""
	}
	return jsonscan.Value(strconv.FormatFloat(n/1e3, 'f', -1, 64))
}
