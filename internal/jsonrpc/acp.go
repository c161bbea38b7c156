package jsonrpc

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

// Update is the update of ACP's session/update, as far as it is telemetry.
type Update struct {
	Kind       string // sessionUpdate
	ToolCallID Value
	Title      Value
	Name       Value // the tool's, since version 2
	ToolKind   Value
	Status     Value
	Input      Value // rawInput
	Output     Value // rawOutput
	Content    Value
	Entries    Value // of a plan
	Used       Value // tokens
	Size       Value // of the context window
}

// DecodeUpdate reads the update of a session/update, or the tool call of a
// session/request_permission (Agent Client Protocol, schema).
func (u *Update) DecodeUpdate(update Value) {
	walk(update, func(key string, c *jsonscan.Cursor) bool {
		if key == "sessionUpdate" {
			u.Kind = c.Value().Str()
			return true
		}
		to := u.member(key)
		if to == nil {
			return false
		}
		if v := c.Value(); !v.IsNull() {
			*to = v
		}
		return true
	})
}

// member is where the value of a member belongs, or nil.
func (u *Update) member(key string) *Value {
	switch key {
	case "toolCallId":
		return &u.ToolCallID
	case "title":
		return &u.Title
	case "name":
		return &u.Name
	case "kind":
		return &u.ToolKind
	case "status":
		return &u.Status
	case "rawInput":
		return &u.Input
	case "rawOutput":
		return &u.Output
	case "content":
		return &u.Content
	case "entries":
		return &u.Entries
	case "used":
		return &u.Used
	case "size":
		return &u.Size
	}
	return nil
}
