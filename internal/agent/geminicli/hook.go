package geminicli

import (
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/hook"
	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/jsonrpc"
)

// Decoder turns the input of hooks into events. The zero value is ready. It is
// not safe for concurrent use, and an event is valid until the next one.
type Decoder struct{ hook.Events }

// Event implements [hook.Decoder]. PreCompress comes before each call of the model,
// in which nothing may be compressed, unless a person asked for it.
func (d *Decoder) Event(b *hook.Body) event.Event {
	d.Begin(b)
	d.ThreadUnknown()
	switch b.Event {
	case "SessionStart":
		return d.SessionStarted()
	case "SessionEnd":
		return d.SessionEnded()
	case "BeforeAgent":
		return d.Prompted(b)
	case "AfterAgent":
		d.Info().Prompt = "" // it is the one that BeforeAgent reported
		return d.Rested()
	case "PreCompress":
		return d.compressing(b)
	case "Notification":
		return d.notified(b)
	case "BeforeTool":
		use := toolOf(b)
		return d.ToolStarted(&use, asks(b.Tool.Name.Str()))
	case "AfterTool":
		return d.toolOver(b)
	case "AfterModel":
		return d.modelOver(b)
	}
	return d.Unknown()
}

// compressing: the end is not reported. Whatever comes next ends the phase.
func (d *Decoder) compressing(b *hook.Body) event.Event {
	if b.Trigger.Str() != "manual" {
		d.Info().Trigger = ""
		return d.Unknown()
	}
	return d.Compacting(b)
}

// notified: a person is asked to allow a tool. The details have the command, the file or the
// tool of an MCP server, not the input of the call.
func (d *Decoder) notified(b *hook.Body) event.Event {
	if b.Notification.Str() != "ToolPermission" {
		return d.Unknown()
	}
	details := jsonrpc.Member(b.Raw, "details")
	b.Tool.Input = details
	server, tool := jsonrpc.Member(details, "serverName").Str(), jsonrpc.Member(details, "toolName").Str()
	switch {
	case jsonrpc.Member(details, "type").Str() == "exec":
		b.Tool.Name = `"run_shell_command"`
	case server != "" && tool != "":
		b.Tool.Name = otlp.Quote("mcp_" + server + "_" + tool)
	}
	return d.Asked(b, false)
}

// cancelled is displayed as the output of a command that a person interrupted.
const cancelled = "Command cancelled by user."

// toolError is the error type of an MCP server's result with isError.
const toolError = "mcp_tool_error"

func (d *Decoder) toolOver(b *hook.Body) event.Event {
	use := toolOf(b)
	failure := jsonrpc.Member(b.Tool.Output, "error")
	if jsonrpc.Member(b.Tool.Output, "returnDisplay").Str() == cancelled {
		return d.ToolFailed(&use, cancelled, true)
	}
	if !failure.IsObject() {
		return d.ToolEnded(&use)
	}
	use.ErrorType = mcpconv.ToolErrorType(jsonrpc.Member(failure, "type").Str(), toolError)
	return d.ToolFailed(&use, jsonrpc.Member(failure, "message").Str(), false)
}

// asks reports whether the tool is there to ask a person.
func asks(tool string) bool { return tool == "ask_user" || tool == "exit_plan_mode" }

// toolOf is the tool call: tools of MCP servers are called mcp_{server}_{tool},
// and both names are in mcp_context, unless an extension left the server's
// configuration out.
func toolOf(b *hook.Body) event.ToolUse {
	use := b.ToolUse()
	use.Server = jsonrpc.Member(b.Tool.Server, "server_name").Str()
	use.Name = jsonrpc.Member(b.Tool.Server, "tool_name").Str()
	if use.Server == "" {
		use.Server, use.Name = splitName(b.Tool.Name.Str())
	}
	return use
}

// splitName is the server and the tool of mcp_{server}_{tool}, as Gemini CLI
// splits it itself: names of servers have no underscore, or are misread.
func splitName(name string) (server, tool string) {
	rest, ok := strings.CutPrefix(name, "mcp_")
	server, tool, found := strings.Cut(rest, "_")
	if !ok || !found || server == "" || tool == "" {
		return "", ""
	}
	return server, tool
}

// modelOver: each piece of a streamed answer is reported, of which the last one
// has the reason why the model stopped, and what it used.
func (d *Decoder) modelOver(b *hook.Body) event.Event {
	candidate := jsonrpc.First(jsonrpc.Member(b.Use.Response, "candidates"))
	finish := jsonrpc.Member(candidate, "finishReason").Str()
	if finish == "" {
		return d.Unknown()
	}
	use := event.ModelUse{
		Model: jsonrpc.Member(b.Use.Request, "model").Str(), Finish: finish, End: b.When(), Provider: provider,
	}
	use.Usage, use.HasUsage = usageOf(jsonrpc.Member(b.Use.Response, "usageMetadata"))
	return d.ModelEnded(&use, "", "")
}

// provider is the one of all its models.
const provider = "gcp.gen_ai"

// countMax is beyond what any call uses.
const countMax = 1 << 50

// usageOf reads usageMetadata. Thoughts are apart from the candidates' tokens, and
// hooks report them in the total only.
func usageOf(usage jsonscan.Value) (u event.Usage, ok bool) {
	count := func(name string) int64 {
		n, _ := jsonrpc.Member(usage, name).Int()
		return min(max(n, 0), countMax)
	}
	input, total := count("promptTokenCount"), count("totalTokenCount")
	if input == 0 && total == 0 {
		return u, false
	}
	u.Reasoning, u.CacheRead = count("thoughtsTokenCount"), count("cachedContentTokenCount")
	u.Input = input + count("toolUsePromptTokenCount")
	u.Output = max(count("candidatesTokenCount")+u.Reasoning, total-u.Input)
	return u, true
}
