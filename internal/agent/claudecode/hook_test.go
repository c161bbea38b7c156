package claudecode

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/hook"
	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/hook/hooktest"
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

// tool is a tool in an event of a hook, use what becomes of it.
const tool = `"tool_name":"Bash","tool_use_id":"u","tool_input":{"a":1},"agent_id":"g"`

var use = event.ToolUse{ID: `"u"`, Tool: `"Bash"`, Input: `{"a":1}`, SubAgent: `"g"`}

func decodeHook(text, session string) (h hook.Body, err error) {
	var c jsonscan.Cursor
	c.Reset([]byte(text))
	err = h.Decode(&c, hook.Defaults{Session: session})
	return h, err
}

// activity returns what all events of hooks have.
func activity(h *hook.Body) event.SelfReport {
	return event.SelfReport{Notice: event.Notice{
		Contact: event.Contact{Method: h.Event}, Source: event.Hook, Prefix: "hook.", Raw: h.Raw, Params: h.Raw,
		Version: "2.0", FromClient: true,
		Detail: &event.HookInfo{
			Event: h.Event, Tool: h.Tool.Name, AgentID: h.Agent.ID, Trigger: h.Trigger, Error: h.Error, Prompt: h.Prompt, Message: h.Message,
		},
	}}
}

// weighed is the event with how much it concerns a person.
func weighed(e event.Event) event.Event {
	weight := event.HookInforms
	switch e := e.(type) {
	case *event.CompactionStarted:
		weight = event.HookWarns
	case *event.ApprovalRequested:
		if !e.Reminder {
			weight = event.HookWarns
		}
	case *event.TurnEnded:
		if e.Failed {
			weight = event.HookFails
		}
	}
	if n, ok := e.(interface{ Base() *event.Notice }); ok {
		n.Base().Detail.(*event.HookInfo).Weight = weight
	}
	return e
}

// hooks are all kinds of hook events, and what they are turned into.
var hooks = []struct {
	name, members string
	want          func(a event.SelfReport) event.Event
}{
	{"SessionStart", `"source":"startup","session_title":"t"`, func(a event.SelfReport) event.Event {
		a.Title = "t"
		return &event.SessionStarted{SelfReport: a}
	}},
	{"Setup", ``, func(a event.SelfReport) event.Event { return &event.SessionStarted{SelfReport: a} }},
	{"SessionEnd", ``, func(a event.SelfReport) event.Event { return &event.SessionEnded{SelfReport: a} }},
	{"UserPromptSubmit", `"prompt":"p"`, func(a event.SelfReport) event.Event {
		return &event.PromptSubmitted{SelfReport: a, Prompt: `"p"`}
	}},
	{"UserPromptSubmit", `"prompt":"<task-notification>\n<task-id>a1</task-id>"`, func(a event.SelfReport) event.Event {
		a.Detail.(*event.HookInfo).Prompt = ""
		return &a
	}},
	{"PreToolUse", tool, func(a event.SelfReport) event.Event { return &event.ToolStarted{SelfReport: a, Use: use} }},
	{"PreToolUse", `"tool_name":"AskUserQuestion"`, func(a event.SelfReport) event.Event {
		return &event.ToolStarted{SelfReport: a, Use: event.ToolUse{Tool: `"AskUserQuestion"`}, Asks: true}
	}},
	{"PreToolUse", `"tool_name":"ExitPlanMode"`, func(a event.SelfReport) event.Event {
		return &event.ToolStarted{SelfReport: a, Use: event.ToolUse{Tool: `"ExitPlanMode"`}, Asks: true}
	}},
	{"PostToolUse", tool + `,"tool_response":[1],"duration_ms":1.5,"is_interrupt":true,"error":"e"`, func(a event.SelfReport) event.Event {
		done := use
		done.Duration, done.Output = "1.5", "[1]"
		return &event.ToolEnded{SelfReport: a, Use: done}
	}},
	{"PostToolUseFailure", tool + `,"error":"no"`, func(a event.SelfReport) event.Event {
		return &event.ToolEnded{SelfReport: a, Use: use, Failed: true, Text: "no"}
	}},
	{"PostToolUseFailure", tool + `,"error":"no","is_interrupt":true`, func(a event.SelfReport) event.Event {
		return &event.ToolEnded{SelfReport: a, Use: use, Failed: true, Interrupted: true, Text: "no"}
	}},
	{"PermissionDenied", tool + `,"reason":"rule"`, func(a event.SelfReport) event.Event {
		denied := use
		denied.Decision = "reject"
		return &event.ToolDenied{SelfReport: a, Use: denied, Reason: "rule"}
	}},
	{"SubagentStart", `"agent_id":"g","agent_type":"Explore"`, func(a event.SelfReport) event.Event {
		return &event.AgentStarted{SelfReport: a, Agent: event.SubAgent{ID: `"g"`, Type: `"Explore"`}}
	}},
	{"SubagentStop", `"agent_id":"g"`, func(a event.SelfReport) event.Event {
		return &event.AgentEnded{SelfReport: a, Agent: event.SubAgent{ID: `"g"`}}
	}},
	{"Stop", `"last_assistant_message":"m"`, func(a event.SelfReport) event.Event { return &event.TurnEnded{SelfReport: a, Output: `"m"`} }},
	{"StopFailure", `"error":"rate_limit","error_details":"d","last_assistant_message":"l"`, func(a event.SelfReport) event.Event {
		return &event.TurnEnded{SelfReport: a, Failed: true, Type: "rate_limit", Text: "l"}
	}},
	{"StopFailure", `"error":"rate_limit","error_details":"d"`, func(a event.SelfReport) event.Event {
		return &event.TurnEnded{SelfReport: a, Failed: true, Type: "rate_limit", Text: "d"}
	}},
	{"StopFailure", `"error":"rate_limit"`, func(a event.SelfReport) event.Event {
		return &event.TurnEnded{SelfReport: a, Failed: true, Type: "rate_limit", Text: "rate_limit"}
	}},
	{"StopFailure", `"error":{}`, func(a event.SelfReport) event.Event { return &event.TurnEnded{SelfReport: a, Failed: true} }},
	{"PreCompact", `"trigger":"manual"`, func(a event.SelfReport) event.Event {
		return &event.CompactionStarted{SelfReport: a, Manual: true}
	}},
	{"PreCompact", `"trigger":"auto"`, func(a event.SelfReport) event.Event { return &event.CompactionStarted{SelfReport: a} }},
	{"PostCompact", ``, func(a event.SelfReport) event.Event { return &event.CompactionEnded{SelfReport: a} }},
	{"PermissionRequest", tool, func(a event.SelfReport) event.Event {
		return &event.ApprovalRequested{SelfReport: a, Tool: `"Bash"`, Input: `{"a":1}`, SubAgent: `"g"`}
	}},
	{"Elicitation", `"message":"m"`, func(a event.SelfReport) event.Event { return &event.ApprovalRequested{SelfReport: a} }},
	{"ElicitationResult", ``, func(a event.SelfReport) event.Event { return &event.ApprovalAnswered{SelfReport: a} }},
	{"Notification", `"message":"m"`, func(a event.SelfReport) event.Event {
		return &event.ApprovalRequested{SelfReport: a, Reminder: true}
	}},
	{"Notification", `"notification_type":"permission_prompt"`, func(a event.SelfReport) event.Event { return &event.ApprovalRequested{SelfReport: a} }},
	{"Notification", `"notification_type":"elicitation_dialog"`, func(a event.SelfReport) event.Event { return &event.ApprovalRequested{SelfReport: a} }},
	{"Notification", `"notification_type":"elicitation_url_dialog"`, func(a event.SelfReport) event.Event { return &event.ApprovalRequested{SelfReport: a} }},
	{"Notification", `"notification_type":"elicitation_complete"`, func(a event.SelfReport) event.Event { return &event.ApprovalAnswered{SelfReport: a} }},
	{"Notification", `"notification_type":"elicitation_response"`, func(a event.SelfReport) event.Event { return &event.ApprovalAnswered{SelfReport: a} }},
	{"Notification", `"notification_type":"idle_prompt"`, func(a event.SelfReport) event.Event { return &event.TurnEnded{SelfReport: a} }},
	{"Notification", `"notification_type":"quota_auto_resume_fired"`, func(a event.SelfReport) event.Event { return &event.PromptSubmitted{SelfReport: a} }},
	{"Notification", `"notification_type":"auth_success"`, func(a event.SelfReport) event.Event { return &a }},
	{"Notification", `"notification_type":"agent_needs_input"`, func(a event.SelfReport) event.Event { return &a }},
	{"CwdChanged", `"cwd":"/a","old_cwd":"/a","new_cwd":"/b"`, func(a event.SelfReport) event.Event {
		a.Facts = &event.Facts{Dir: "/b"}
		return &a
	}},
	{"PostModelSwitch", `"from_model":"m1","to_model":"m2"`, func(a event.SelfReport) event.Event {
		a.Facts = &event.Facts{Model: "m2"}
		return &a
	}},
	{"MessageDisplay", `"text":"t"`, func(a event.SelfReport) event.Event { return &event.KeepAlive{Contact: a.Contact} }},
}

// notices are the hook events that are recorded as they are.
var notices = []string{
	"UserPromptExpansion", "PostToolBatch", "TaskCreated", "TaskCompleted", "TeammateIdle", "InstructionsLoaded",
	"ConfigChange", "DirectoryAdded", "FileChanged", "WorktreeCreate", "WorktreeRemove", "PreModelSwitch", "NotHeardOf",
}

func TestNotices(t *testing.T) {
	for _, name := range notices {
		h, err := decodeHook(`{"session_id":"s","hook_event_name":"`+name+`",`+tool+`}`, "")
		require.NoError(t, err)
		var d Decoder
		a := activity(&h)
		assert.Equal(t, &a, d.Event(&h), name)
	}
}

func TestNamesOfTools(t *testing.T) {
	for members, want := range map[string]string{
		`"tool_name":"Bash"`:                                                   "",
		`"tool_name":"mcp__files__read"`:                                       "read",
		`"tool_name":"mcp__files__read","mcp_server":{"name":"files"}`:         "read",
		`"tool_name":"mcp__my__files__read","mcp_server":{"name":"my  files"}`: "read",
		`"tool_name":"mcp__caf___read","mcp_server":{"name":"café"}`:           "read",
		`"tool_name":"mcp__files__read","mcp_server":{"name":"f"}`:             "read",
		`"tool_name":"Bash","mcp_server":{"name":"a longer name"}`:             "",
	} {
		h, err := decodeHook(`{"hook_event_name":"PreToolUse",`+members+`}`, "s")
		require.NoError(t, err)
		var d Decoder
		assert.Equal(t, want, d.Event(&h).(*event.ToolStarted).Use.Name, members)
	}
}

// The files are what hooks of the program were called with.
func TestHooks(t *testing.T) { hooktest.Files(t, &Decoder{}) }

func TestEvents(t *testing.T) {
	for _, tt := range hooks {
		t.Run(tt.name, func(t *testing.T) {
			text := `{"session_id":"s","hook_event_name":"` + tt.name + `"`
			if tt.members != "" {
				text += "," + tt.members
			}
			h, err := decodeHook(text+"}", "")
			require.NoError(t, err)
			var d Decoder
			assert.Equal(t, weighed(tt.want(activity(&h))), d.Event(&h))
		})
	}
}

func TestIDsOfTools(t *testing.T) {
	for id, want := range map[string]event.JSON{`"u"`: `"u"`, `"a\/b"`: `"a/b"`, `""`: "", `7`: "", `null`: "", `{}`: ""} {
		h, err := decodeHook(`{"hook_event_name":"PreToolUse","tool_use_id":`+id+`}`, "s")
		require.NoError(t, err)
		var d Decoder
		assert.Equal(t, want, d.Event(&h).(*event.ToolStarted).Use.ID, id)
	}
}

func TestServersOfTools(t *testing.T) {
	for members, want := range map[string]string{
		`"tool_name":"Bash"`:                                       "",
		`"tool_name":"mcp__files__read"`:                           "files",
		`"tool_name":"mcp__files__read__all"`:                      "files",
		`"tool_name":"mcp__files"`:                                 "",
		`"tool_name":"mcp____read"`:                                "",
		`"tool_name":"mcp__files__read","mcp_server":{"name":"f"}`: "f",
		`"tool_name":"mcp__files__read","mcp_server":{"name":7}`:   "files",
		`"tool_name":"Bash","mcp_server":{"name":"f"}`:             "f",
	} {
		h, err := decodeHook(`{"hook_event_name":"PreToolUse",`+members+`}`, "s")
		require.NoError(t, err)
		var d Decoder
		assert.Equal(t, want, d.Event(&h).(*event.ToolStarted).Use.Server, members)
	}
}

func TestNoAllocations(t *testing.T) {
	for _, name := range []string{"PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop", "Notification", "CwdChanged", "MessageDisplay", "x"} {
		h, err := decodeHook(`{"hook_event_name":"`+name+`","tool_name":"mcp__a__b","tool_use_id":"u"}`, "s")
		require.NoError(t, err)
		var d Decoder
		assert.Zero(t, testing.AllocsPerRun(100, func() { d.Event(&h) }), name)
	}
}
