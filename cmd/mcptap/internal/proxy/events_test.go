package proxy

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	sse "github.com/tmaxmax/go-sse"
	"pgregory.net/rapid"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/frame"
)

// read is what events finds in a stream that comes in pieces.
func read(text string, piece func(rest int) int) (messages []string, endpoint string) {
	e := &events{endpoint: func(url string) { endpoint = url }}
	e.messages = frame.NewAssembler(1000, func(m *frame.Message) { messages = append(messages, tight(m.Text)) })
	for text != "" {
		n := piece(len(text))
		e.write([]byte(text[:n]))
		text = text[n:]
	}
	return messages, endpoint
}

// tight is JSON without the white space that framing may add.
func tight(text []byte) string { return strings.Join(strings.Fields(string(text)), "") }

// The same events as a library for such streams finds, however they are cut.
func TestEventsLikeLibrary(t *testing.T) {
	line := rapid.SampledFrom([]string{
		"", "", "data: {\"id\":1}", "data:{\"method\":\"a\",", "data: \"x\":1}", "event: message", "event:other",
		"data: /m?sessionId=1", "id: 7", "retry: 10", ": comment", "data", "data: [", "data: {\"id\":2}]", strings.Repeat("x", 5000),
	})
	rapid.Check(t, func(t *rapid.T) {
		end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "line end")
		text := strings.Join(rapid.SliceOfN(line, 0, 20).Draw(t, "lines"), end) + end + end
		var want []string
		for event, err := range sse.Read(strings.NewReader(text), nil) {
			if err != nil {
				t.Fatal(err)
			}
			frame.Parse([]byte(event.Data), func(m *frame.Message) { want = append(want, tight(m.Text)) })
		}
		got, _ := read(text, func(rest int) int { return rapid.IntRange(1, rest).Draw(t, "n") })
		assert.Equal(t, want, got)
	})
}

func TestEndpointEvent(t *testing.T) {
	_, endpoint := read("event: endpoint\r\ndata: /m?sessionId=1\r\n\r\nevent: message\ndata: {}\n\n", func(int) int { return 1 })
	assert.Equal(t, "/m?sessionId=1", endpoint)
}
