package inspectorwire

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
)

const heartbeat = `{"type": "Heartbeat", "session_id": "49757271-d177-4d40-9b30-e8f09ed9ca78", "llm_calls_delta": 1, "tokens_delta": 512, "timestamp": "2025-08-02T09:31:09.204531", "event_id": 2}`

var bodies = map[string][]byte{
	"object": []byte(heartbeat),
	"array":  []byte("[" + heartbeat + "," + heartbeat + "]"),
	"lines":  bytes.Repeat([]byte(heartbeat+"\n"), 100),
}

func TestJSONDoesNotAllocate(t *testing.T) {
	for name, body := range bodies {
		var tokens int64
		assert.Zero(t, testing.AllocsPerRun(100, func() {
			for _, item := range Events(body, JSON) {
				tokens += item.Event.TokensDelta
			}
		}), name)
		assert.NotZero(t, tokens)
	}
}

func BenchmarkEvents(b *testing.B) {
	bench := func(name string, body []byte, form Form) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				readAll(b, body, form)
			}
		})
	}
	for name, body := range bodies {
		bench(name, body, JSON)
	}
	one := []byte("id: 2\ndata: " + heartbeat + "\nretry: 2000\n\n")
	bench("frame", one, SSE)
	bench("100 frames", bytes.Repeat(one, 100), SSE)
}

// readAll is apart because what stands in a b.Loop is not inlined there.
func readAll(b *testing.B, body []byte, form Form) {
	for _, item := range Events(body, form) {
		if item.Err != nil {
			b.Fatal(item.Err)
		}
	}
}

func BenchmarkTime(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		parseTime("2025-08-02T09:31:09.204531")
	}
}
