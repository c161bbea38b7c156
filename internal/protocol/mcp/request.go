package mcp

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/jsonrpc"
)

func (d *Decoder) callStarted(env *event.Envelope, m *jsonrpc.Message) *event.CallStarted {
	c, p := &d.call, &m.Params
	*c = event.CallStarted{
		Contact: d.contactOf(m), Kind: kindOf(m.Method), ID: m.ID, FromClient: fromClient(env, m),
		Version: m.Version, Invalid: invalidRequest(env, m), Raw: m.Raw, Trace: traceOf(m),
		Token: p.Meta.ProgressToken, RequestID: requestID(env, &p.Meta), Target: p.URI.Str(),
		About: jsonrpc.Member(p.ToolCall, "toolCallId").Str(), State: p.RequestState.Str(),
	}
	if c.State != "" {
		c.Action = actionOf(p.InputResponses)
	}
	if m.Method == mcpconv.MethodEventsPoll {
		c.Polled = polledBy(p.Raw)
	}
	if strings.HasPrefix(m.Method, mcpconv.TasksPrefix) {
		c.TaskID = p.TaskID.Str()
	}
	content(c, p)
	return c
}

func kindOf(method string) event.CallKind {
	switch method {
	case mcpconv.MethodToolsCall:
		return event.ToolCall
	case mcpconv.MethodResourcesRead:
		return event.ResourceRead
	case mcpconv.MethodPromptsGet:
		return event.PromptGet
	case mcpconv.MethodSampling:
		return event.ModelCall
	case mcpconv.MethodElicitation:
		return event.Elicitation
	case mcpconv.MethodRequestPermit:
		return event.Permission
	case mcpconv.MethodSessionPrompt:
		return event.AgentPrompt
	case mcpconv.MethodSetLevel:
		return event.LogLevelSetting
	}
	return event.OtherCall
}

// content fills what only calls of some kinds have.
func content(c *event.CallStarted, p *jsonrpc.Params) {
	switch c.Kind {
	case event.ToolCall, event.PromptGet:
		c.Target, c.Input = p.Name.Str(), p.Arguments
		c.Use, c.Thread = p.Meta.ToolUse, p.Meta.Thread
	case event.LogLevelSetting:
		c.Target = p.Level.Str()
	case event.ModelCall:
		c.Target, c.Hint = "", firstHint(p.Preferences)
		c.Input, c.Text, c.Preference = p.Messages, p.SystemPrompt.Str(), p.Preferences
	case event.Elicitation:
		c.Input, c.Text = p.Schema, p.Message.Str()
	case event.Permission:
		c.Input, c.Text = p.Options, jsonrpc.Member(p.ToolCall, "title").Str()
	case event.AgentPrompt:
		c.Input = p.Prompt
	}
}

// requestID returns what connects the call to the server's own trace.
func requestID(env *event.Envelope, meta *jsonrpc.Meta) string {
	switch {
	case meta.RequestID.IsString():
		return meta.RequestID.Str()
	case meta.RequestIDAlias.IsString():
		return meta.RequestIDAlias.Str()
	}
	return env.RequestID
}

// firstHint is the model that the preferences name first.
func firstHint(preferences jsonscan.Value) string {
	var p struct {
		Hints []struct {
			Name string `json:"name"`
		} `json:"hints"`
	}
	if preferences == "" || json.Unmarshal([]byte(preferences), &p) != nil || len(p.Hints) == 0 {
		return ""
	}
	return p.Hints[0].Name
}

// actionOf returns what the client did about the first thing that it was asked before
// the request could go on, "" if that is not reported.
func actionOf(responses jsonscan.Value) string {
	for _, response := range responses.Members() {
		return jsonrpc.Member(response, "action").Str()
	}
	return ""
}

// invalidRequest is why a request breaks its method's schema, "" if it does not.
func invalidRequest(env *event.Envelope, m *jsonrpc.Message) string {
	if why := cmp.Or(m.Invalid, env.Invalid); why != "" {
		return why
	}
	p := &m.Params
	switch m.Method {
	case mcpconv.MethodToolsCall, mcpconv.MethodPromptsGet:
		if p.Name.Str() == "" {
			return "name is missing"
		}
	case mcpconv.MethodResourcesRead:
		if p.URI.Str() == "" {
			return "uri is missing"
		}
	case mcpconv.MethodSampling:
		if !p.Messages.IsArray() {
			return "messages are missing"
		}
	case mcpconv.MethodElicitation:
		if !p.Message.IsString() {
			return "message is missing"
		}
	case mcpconv.MethodInitialize:
		if level := jsonrpc.Member(jsonrpc.Member(p.Capabilities, "logging"), "level"); level != "" && mcpconv.Levels[level.Str()] == 0 {
			return "logging.level is not one of RFC 5424's"
		}
	}
	return p.InvalidParams()
}
