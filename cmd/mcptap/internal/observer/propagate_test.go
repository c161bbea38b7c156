package observer

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

func fixed(jsonscan.Value) TraceContext { return TraceContext{Traceparent: "T", RequestID: "R"} }

func TestInject(t *testing.T) {
	for text, want := range map[string]string{
		`{"id":1,"method":"a"}`:                                        `{"params":{"_meta":{"traceparent":"T","mcp.request_id":"R"}},"id":1,"method":"a"}`,
		`{"id":1,"method":"a","params":{}}`:                            `{"id":1,"method":"a","params":{"_meta":{"traceparent":"T","mcp.request_id":"R"}}}`,
		`{"id":1,"params":{"x":2},"method":"a"} `:                      `{"id":1,"params":{"_meta":{"traceparent":"T","mcp.request_id":"R"},"x":2},"method":"a"} `,
		`{"id":1,"method":"a","params":{"x":2,"_meta":{ }}}`:           `{"id":1,"method":"a","params":{"x":2,"_meta":{"traceparent":"T","mcp.request_id":"R" }}}`,
		`{"id":1,"method":"a","params":{"_meta":{"requestId":"q"}}}`:   `{"id":1,"method":"a","params":{"_meta":{"traceparent":"T","requestId":"q"}}}`,
		`{"id":1,"method":"a","params":{"_meta":{"traceparent":"t"}}}`: `{"id":1,"method":"a","params":{"_meta":{"mcp.request_id":"R","traceparent":"t"}}}`,
	} {
		got := Inject([]byte(text), fixed)
		assert.Equal(t, want, string(got))
		assert.True(t, json.Valid(got))
		assert.Equal(t, want, string(Inject(got, fixed)), "twice is once")
	}
	for _, text := range []string{
		``, `x`, `{"method":"a"}`, `{"id":1,"result":{}}`, `{"id":1,"method":"a","params":[1]}`, `{"id":1,"method":"a","params":{"_meta":7}}`,
		`[{"id":1,"method":"a"}]`, `{"id":1,"method":"a"`, `{"id":1,"method":"a","params":null}`,
	} {
		assert.Equal(t, text, string(Inject([]byte(text), fixed)))
	}
}

func TestContext(t *testing.T) {
	c := ContextOf("", "s", "c", `1`, 7)
	assert.Regexp(t, "^00-[0-9a-f]{32}-[0-9a-f]{16}-01$", c.Traceparent)
	assert.Len(t, c.RequestID, 24)
	assert.NotEqual(t, c, ContextOf("", "s", "c", `"1"`, 7), "ids have a type")
	assert.NotEqual(t, c, ContextOf("", "s", "c", `1`, 8), "an id may be used again")
}

func FuzzInject(f *testing.F) {
	f.Add([]byte(`{"id":1,"method":"a","params":{"x":2,"_meta":{ }}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		got := Inject(text, fixed)
		if json.Valid(text) && !json.Valid(got) {
			t.Errorf("%q became %q", text, got)
		}
	})
}
