package acp

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

func TestUpdate(t *testing.T) {
	n := event.Notice{Contact: event.Contact{Method: "session/update"}, Params: "{}"}
	about := func(d event.Detail) event.Event {
		n := n
		n.Detail = d
		return &n
	}
	for update, want := range map[jsonscan.Value]event.Event{
		`{"sessionUpdate":"tool_call","toolCallId":"t","title":"x","kind":"read","status":"pending","rawInput":{"a":1},"content":[{}]}`: &event.ToolUpdated{
			Notice: n, Call: `"t"`, Title: `"x"`, Kind: `"read"`, Status: `"pending"`, Input: `{"a":1}`, Output: `[{}]`,
		},
		`{"sessionUpdate":"tool_call_update","toolCallId":"t","name":"grep","status":"completed","rawOutput":7,"content":[{}]}`: &event.ToolUpdated{
			Notice: n, Call: `"t"`, Name: `"grep"`, Status: `"completed"`, Output: `7`,
		},
		`{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"failed","content":[{"content":{"text":"no"}},{}]}`: &event.ToolUpdated{
			Notice: n, Call: `"t"`, Status: `"failed"`, Output: `[{"content":{"text":"no"}},{}]`, Failed: "no",
		},
		`{"sessionUpdate":"tool_call_update","toolCallId":null,"title":"a","title":null,"status":"failed","content":"x"}`: &event.ToolUpdated{
			Notice: n, Title: `"a"`, Status: `"failed"`, Output: `"x"`,
		},
		`{"sessionUpdate":"plan","entries":[{"content":"c"}]}`:                      about(&event.Plan{Entries: `[{"content":"c"}]`}),
		`{"sessionUpdate":"usage_update","used":53000,"size":200000,"entries":[1]}`: about(&event.ContextUse{Used: "53000", Size: "200000"}),
		`{"sessionUpdate":"agent_message_chunk","content":{"text":"x"}}`:            &event.StreamUpdated{Notice: n, Text: `"x"`},
		`{"sessionUpdate":"agent_message_chunk","content":{"text":1}}`:              &event.StreamUpdated{Notice: n},
		`{"sessionUpdate":"agent_thought_chunk","content":{"text":"x"}}`:            &event.StreamUpdated{Notice: n},
		`{"sessionUpdate":"unheard_of"}`:                                            &event.StreamUpdated{Notice: n},
		`{"sessionUpdate":7}`:                                                       about(nil),
		`{}`:                                                                        about(nil),
		`[]`:                                                                        about(nil),
		``:                                                                          about(nil),
	} {
		var d Decoder
		assert.Equal(t, want, d.Update(&n, update), update)
	}
}

func TestUpdatesHaveNothingOfThoseBefore(t *testing.T) {
	var d Decoder
	d.Update(&event.Notice{}, `{"sessionUpdate":"tool_call","toolCallId":"t","status":"failed","content":[{"content":{"text":"no"}}]}`)
	assert.Equal(t, &event.ToolUpdated{}, d.Update(&event.Notice{}, `{"sessionUpdate":"tool_call_update"}`))
	assert.Equal(t, &event.Notice{Detail: &event.Plan{}}, d.Update(&event.Notice{}, `{"sessionUpdate":"plan"}`))
}

func TestPermissionOutcome(t *testing.T) {
	for outcome, want := range map[jsonscan.Value]string{
		`{"outcome":"selected","optionId":"once"}`: "once",
		`{"outcome":"cancelled"}`:                  "cancelled",
		`{"outcome":"selected","optionId":7}`:      "selected",
		`"cancelled"`:                              "",
		``:                                         "",
	} {
		assert.Equal(t, want, PermissionOutcome(outcome), outcome)
	}
}
