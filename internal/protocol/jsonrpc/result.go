package jsonrpc

import (
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

func (r *Result) decode(c *jsonscan.Cursor) {
	r.Raw = Members(c, func(key string) bool { return r.member(key, c) })
}

func (r *Result) member(key string, c *jsonscan.Cursor) bool {
	switch key {
	case "content":
		r.decodeContent(c)
	case "isError":
		r.IsError = c.Value()
	case "structuredContent":
		r.Structured = c.Value()
	case "contents":
		r.decodeContents(c)
	case "role":
		r.Role = c.Value()
	case "model":
		r.Model = c.Value()
	case "stopReason":
		r.StopReason = c.Value()
	case "action":
		r.Action = c.Value()
	case "protocolVersion":
		r.ProtocolVersion = c.Value()
	case "capabilities", "agentCapabilities":
		r.Capabilities = c.Value()
	case "serverInfo", "agentInfo":
		r.Server.decode(c)
	case "_meta":
		r.Meta.decode(c)
	default:
		return r.rareMember(key, c)
	}
	return true
}

// lists are the members that results of */list and prompts/get have.
var lists = [...]string{"roots", "tools", "resources", "resourceTemplates", "prompts", "messages"}

// rareMember reads what only results have that are not final, or those of ACP.
func (r *Result) rareMember(key string, c *jsonscan.Cursor) bool {
	for _, list := range lists {
		if key == list {
			r.Listed = list
			c.Value()
			return true
		}
	}
	to := r.rare(key)
	if to != nil {
		*to = c.Value()
	}
	return to != nil
}

// rare is where the value of such a member belongs, or nil.
func (r *Result) rare(key string) *jsonscan.Value {
	switch key {
	case "resultType":
		return &r.Type
	case "requestState":
		return &r.RequestState
	case "inputRequests":
		return &r.InputRequests
	case "task":
		return &r.Task
	case "taskId":
		return &r.TaskID
	case "status":
		return &r.Status
	case "statusMessage":
		return &r.StatusMessage
	case "ttl", "ttlMs":
		return &r.TTL
	case "result":
		return &r.Inner
	case "error":
		return &r.InnerError
	case "outcome":
		return &r.Outcome
	case "sessionId":
		return &r.SessionID
	case "events":
		return &r.Events
	case "results":
		return &r.Results
	}
	return nil
}

// decodeContent reads a tool's content blocks, or the one block of a sampling
// result.
func (r *Result) decodeContent(c *jsonscan.Cursor) {
	if c.Peek() != '[' {
		r.Content = c.Value()
		return
	}
	from := c.Offset()
	c.EnterArray()
	for c.Next() {
		if text := MemberAt(c, "text"); r.FirstText == "" {
			r.FirstText = text
		}
	}
	r.Content = c.Slice(from)
}

// decodeContents adds up the sizes of what resources/read returned.
func (r *Result) decodeContents(c *jsonscan.Cursor) {
	if c.Peek() != '[' {
		c.Value()
		return
	}
	first := true
	c.EnterArray()
	for c.Next() {
		Members(c, func(key string) bool {
			switch key {
			case "mimeType":
				if v := c.Value(); first {
					r.MimeType = v
				}
			case "text":
				r.Bytes += int64(c.Value().StrLen())
			case "blob":
				r.Bytes += base64Len(c.Value())
			default:
				return false
			}
			return true
		})
		first = false
	}
}

// base64Len returns how many bytes a string of base64 stands for.
func base64Len(v jsonscan.Value) int64 {
	return int64(len(strings.TrimRight(v.Str(), "="))) * 3 / 4
}
