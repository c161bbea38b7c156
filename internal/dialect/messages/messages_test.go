package messages

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// cases pair what frameworks record with what the conventions have for it.
var cases = map[string]struct{ in, want string }{
	"text":   {"Hi", `[{"role":"user","parts":[{"type":"text","content":"Hi"}]}]`},
	"broken": {`{"a":`, `[{"role":"user","parts":[{"type":"text","content":"{\"a\":"}]}]`},
	"string": {`"Hi\n"`, `[{"role":"user","parts":[{"type":"text","content":"Hi\n"}]}]`},
	"empty":  {`{}`, ``},
	"openai": {
		`[{"role":"system","content":"S"},{"role":"user","content":[{"type":"text","text":"U"},{"type":"image_url","image_url":{"url":"https://x/y.png"}}]},` +
			`{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]},` +
			`{"role":"tool","tool_call_id":"c","content":"{\"b\":2}"}]`,
		`[{"role":"system","parts":[{"type":"text","content":"S"}]},` +
			`{"role":"user","parts":[{"type":"text","content":"U"},{"type":"uri","modality":"image","uri":"https://x/y.png"}]},` +
			`{"role":"assistant","parts":[{"type":"tool_call","id":"c","name":"f","arguments":{"a":1}}]},` +
			`{"role":"tool","parts":[{"type":"tool_call_response","id":"c","response":{"b":2}}]}]`,
	},
	"openai answer": {
		`{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}]}`,
		`[{"role":"assistant","parts":[{"type":"text","content":"Hi"}]}]`,
	},
	"anthropic": {
		`{"system":"S","messages":[{"role":"assistant","content":[{"type":"thinking","thinking":"T"},{"type":"tool_use","id":"c","name":"f","input":{"a":1}}]},` +
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":[{"type":"text","text":"R"}]},` +
			`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}}]}]}`,
		`[{"role":"system","parts":[{"type":"text","content":"S"}]},` +
			`{"role":"assistant","parts":[{"type":"reasoning","content":"T"},{"type":"tool_call","id":"c","name":"f","arguments":{"a":1}}]},` +
			`{"role":"user","parts":[{"type":"tool_call_response","id":"c","response":[{"type":"text","text":"R"}]},` +
			`{"type":"blob","mime_type":"image/png","modality":"image","content":"AA=="}]}]`,
	},
	"gemini": {
		`{"contents":[{"role":"user","parts":[{"text":"U"},{"fileData":{"fileUri":"gs://x","mimeType":"application/pdf"}}]},` +
			`{"role":"model","parts":[{"functionCall":{"id":"c","name":"f","args":{"a":1}}}]},` +
			`{"role":"user","parts":[{"functionResponse":{"id":"c","name":"f","response":{"b":2}}},{"executableCode":{"code":"1"}}]}]}`,
		`[{"role":"user","parts":[{"type":"text","content":"U"},{"type":"uri","mime_type":"application/pdf","modality":"document","uri":"gs://x"}]},` +
			`{"role":"assistant","parts":[{"type":"tool_call","id":"c","name":"f","arguments":{"a":1}}]},` +
			`{"role":"user","parts":[{"type":"tool_call_response","id":"c","response":{"b":2}},` +
			`{"type":"generic","generic_type":"unknown","content":{"executableCode":{"code":"1"}}}]}]`,
	},
	"gemini thought": {
		`{"content":{"role":"model","parts":[{"text":"T","thought":true},{"text":"A","thought":false}]}}`,
		`[{"role":"assistant","parts":[{"type":"reasoning","content":"T"},{"type":"text","content":"A"}]}]`,
	},
	"vercel": {
		`{"system":"S","prompt":"U"}`,
		`[{"role":"system","parts":[{"type":"text","content":"S"}]},{"role":"user","parts":[{"type":"text","content":"U"}]}]`,
	},
	"conventions": {
		`[{"role":"user","parts":[{"type":"text","content":"U"},{"type":"tool_call_response","id":"c","response":"R"}]}]`,
		`[{"role":"user","parts":[{"type":"text","content":"U"},{"type":"tool_call_response","id":"c","response":"R"}]}]`,
	},
	"batch": {`[[{"role":"user","content":"U"}]]`, `[{"role":"user","parts":[{"type":"text","content":"U"}]}]`},
	"texts": {`["a","b"]`, `[{"role":"user","parts":[{"type":"text","content":"a"},{"type":"text","content":"b"}]}]`},
	"other": {
		`{"question":"U"}`,
		`[{"role":"user","parts":[{"type":"generic","generic_type":"unknown","content":{"question":"U"}}]}]`,
	},
}

func TestConvert(t *testing.T) {
	var b Builder
	for name, test := range cases {
		t.Run(name, func(t *testing.T) { assert.Equal(t, test.want, b.Convert(test.in, "user")) })
	}
}

// TestBounds: no input makes much work or much output.
func TestBounds(t *testing.T) {
	var b Builder
	assert.Empty(t, b.Convert(strings.Repeat("x", MaxInput+1), "user"))
	assert.Empty(t, b.Convert("["+strings.Repeat("1,", MaxInput/2-2)+"1]", "user"), "many tiny parts")
	deep := strings.Repeat("[", 1000) + `{"role":"user"}` + strings.Repeat("]", 1000)
	assert.Less(t, len(b.Convert(deep, "user")), 3*len(deep))
	nested := strings.Repeat(`{"message":`, 500) + `{"role":"user","content":"x"}` + strings.Repeat("}", 500)
	assert.Less(t, len(b.Convert("["+nested+"]", "user")), 3*len(nested))
}

func FuzzConvert(f *testing.F) {
	for _, test := range cases {
		f.Add(test.in)
	}
	f.Fuzz(func(t *testing.T, in string) {
		var b Builder
		out := b.Convert(in, "user")
		require.LessOrEqual(t, len(out), maxOutput+3*len(in)+100)
		if out == "" {
			return
		}
		var list []struct {
			Role  *string
			Parts []struct{ Type *string }
		}
		require.NoError(t, json.Unmarshal([]byte(out), &list), "%s", out)
		for _, m := range list {
			require.NotNil(t, m.Role)
			for _, p := range m.Parts {
				require.NotNil(t, p.Type)
			}
		}
		require.Equal(t, out, b.Convert(in, "user"), "the builder is ready again")
	})
}

// TestFlattenedIsBounded: texts that are too long for a message cost nothing.
func TestFlattenedIsBounded(t *testing.T) {
	var f Flat
	f.Add("0.content", "", strings.Repeat("\x01", MaxInput+1))
	f.Add("1.content", "", "short")
	var b Builder
	assert.Equal(t, `[{"role":"user","parts":[{"type":"text","content":"short"}]}]`, b.Flattened(&f, "user"))
	b.Text(strings.Repeat("x", 2*MaxInput))
	b.Reset()
	assert.Zero(t, cap(b.out), "the memory of a large message")
}

// A flag beside a text that was cut is no part of the message.
func TestFlagsOfFlattened(t *testing.T) {
	for _, key := range []string{"0.content", "0.contents.0.message_content.text", "0.tool_calls.0.tool_call.function.arguments", "0.tool_calls.0.arguments"} {
		var b Builder
		var whole, flagged Flat
		for _, f := range []*Flat{&whole, &flagged} {
			f.Add("0.role", "", "user")
			f.Add(key, "", `{"a":1}`)
		}
		want := b.Flattened(&whole, "user")
		assert.Contains(t, want, "a", key)
		flagged.Add(key+"_truncated", "", "true")
		flagged.Add(key+"_original_bytes", "", "100")
		assert.Equal(t, want, b.Flattened(&flagged, "user"), key)
	}
}

// TestFlattenedSeldom: sounds, what was called before there were tools, and content
// that is of no known kind.
func TestFlattenedSeldom(t *testing.T) {
	var f Flat
	f.Add("0.message.role", "message.", "assistant")
	f.Add("0.message.function_call_name", "message.", "read_file")
	f.Add("0.message.function_call_arguments_json", "message.", `{"path":"/a"}`)
	f.Add("1.message.contents.0.message_content.type", "message.", "audio")
	f.Add("1.message.contents.0.message_content.audio.audio.url", "message.", "https://a/b.wav")
	f.Add("1.message.contents.1.message_content.type", "message.", "video")
	f.Add("1.message.contents.2.message_content.type", "message.", "text")
	var b Builder
	assert.JSONEq(t, `[
		{"role": "assistant", "parts": [{"type": "tool_call", "name": "read_file", "arguments": {"path": "/a"}}]},
		{"role": "user", "parts": [{"type": "uri", "modality": "audio", "uri": "https://a/b.wav"}, {"type": "generic", "generic_type": "video", "content": null}]}
	]`, b.Flattened(&f, "user"))
}
