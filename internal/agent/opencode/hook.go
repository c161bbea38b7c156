package opencode

import (
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/hook"
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/jsonrpc"
)

// Decoder turns what our plugin posts into events. The zero
// value is ready. It is not safe for concurrent use, and an event is valid until
// the next one.
type Decoder struct{ hook.Events }

// Event implements [hook.Decoder]. The session of a sub-agent is named by the
// sub-agent's id.
func (d *Decoder) Event(b *hook.Body) event.Event {
	d.Begin(b)
	if b.Agent.ID.Str() != "" {
		switch b.Event {
		case "session.created":
			return d.AgentStarted(b.SubAgent())
		case "session.idle", "session.deleted":
			return d.agentOver(b, "")
		case "session.error":
			return d.agentOver(b, `"error"`)
		case "session.compacting", "session.compacted", "chat.message":
			d.Info().Prompt = ""
			return d.Unknown()
		}
	}
	switch b.Event {
	case "session.created":
		if strings.HasPrefix(b.Title.Str(), untitled) {
			b.Title = ""
			d.Begin(b)
		}
		return d.SessionStarted()
	case "session.updated":
		return d.Titled()
	case "session.deleted", "instance.disposed":
		return d.SessionEnded()
	case "chat.message":
		return d.Prompted(b)
	case "session.idle":
		return d.Rested()
	case "session.error":
		return d.failed(b)
	case "session.compacting":
		return d.Compacting(b)
	case "session.compacted":
		return d.Compacted()
	case "message.updated":
		return d.model(b)
	case "session.status":
		return d.retried(b)
	}
	return d.tool(b)
}

func (d *Decoder) agentOver(b *hook.Body, outcome event.JSON) event.Event {
	a := b.SubAgent()
	a.Outcome = outcome
	return d.AgentEnded(a)
}

// failed: a turn that a person stopped has not failed.
func (d *Decoder) failed(b *hook.Body) event.Event {
	d.Info().Error = jsonrpc.Member(b.Error, "name")
	if b.ErrorType() == interrupted {
		return d.Rested()
	}
	return d.Failed(b.ErrorType(), b.ErrorText())
}

// untitled begins the title of a session that has none yet.
const untitled = "New session"

// interrupted is the error of what a person stopped; the output of a command then ends
// with aborted.
const (
	interrupted = "MessageAbortedError"
	aborted     = "User aborted the command\n</shell_metadata>"
)

func (d *Decoder) tool(b *hook.Body) event.Event {
	use := b.ToolUse()
	if use.Server != "" {
		use.Name = jsonrpc.Member(b.Tool.Server, "tool").Str()
	}
	switch b.Event {
	case "tool.execute.before":
		return d.ToolStarted(&use, b.Tool.Name.Str() == "question")
	case "tool.execute.after":
		if strings.HasSuffix(b.Tool.Output.Str(), aborted) {
			return d.ToolFailed(&use, "", true)
		}
		return d.ToolEnded(&use)
	case "tool.execute.error":
		return d.ToolFailed(&use, b.ErrorText(), false)
	case "tool.execute.denied":
		use.Decider = deciderOf(b.ErrorText())
		return d.ToolDenied(&use, b.ErrorText())
	case "permission.asked", "question.asked":
		return d.Asked(b, false)
	case "permission.replied":
		if b.Status.Str() == "reject" && use.ID != "" {
			use.Decider = person
			return d.ToolDenied(&use, "a person said no")
		}
		return d.Answered()
	case "question.replied", "question.rejected":
		return d.Answered()
	}
	return d.Unknown()
}

// Who refuses a tool: a person, or a rule of the configuration.
const (
	person = "user"
	rule   = "config"
)

// deciderOf returns who refused a tool, by how opencode words it; "" if that says neither.
func deciderOf(text string) string {
	switch {
	case strings.HasPrefix(text, "The user rejected permission"):
		return person
	case strings.HasPrefix(text, "The user has specified a rule"):
		return rule
	}
	return ""
}
