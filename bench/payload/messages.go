package payload

import (
	"bytes"
	"fmt"
	"strconv"
)

// What messages say. The places of numbers that differ from message to message
// are wide enough for all of them.
const (
	HostBeat = `{"jsonrpc":"2.0","method":"notifications/host.heartbeat","params":{"phase":"working","tokens_used":61200,` +
		`"tokens_limit":200000,"tool_calls_total":17,"elapsed_seconds":312.5,"current_task":"fix the failing build"}}`
	InspectorBeat = `{"type": "Heartbeat", "session_id": "49757271-d177-4d40-9b30-e8f09ed9ca78", "llm_calls_delta": 1, ` +
		`"tokens_delta": 512, "timestamp": "2026-02-19T16:00:00.100000", "event_id": 100000001}`
	recordStart = `{"time":"2026-02-19T16:00:00.100000001Z","connection":"c-7f3a","session":"49757271-d177-4d40-9b30-e8f09ed9ca78",` +
		`"direction":"%s","transport":"stdio","server":"filesystem","client":"my-agent","message":`
	// FirstNumber is the number that [Numbers] replaces.
	FirstNumber = 100_000_001
)

// Record is an observation of a message, as mcptap writes it, with its line feed.
func Record(direction, message string) []byte {
	return fmt.Appendf(nil, recordStart+"%s}\n", direction, message)
}

// BeatRecord is the observation of a heartbeat.
func BeatRecord() []byte { return Record("client_to_server", HostBeat) }

// Call is a call and its reply, together about n bytes, of which a tenth are
// arguments.
func Call(n int, result func(n int) string) (request, reply []byte) {
	call := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"read_file","arguments":{"text":%s}}}`,
		FirstNumber, Quoted(Prose, n/10))
	answer := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, FirstNumber, result(n-n/10))
	return Record("client_to_server", call), Record("server_to_client", answer)
}

// TextResult is a result of one text.
func TextResult(text func(int) string) func(int) string {
	return func(n int) string {
		return `{"content":[{"type":"text","text":` + Quoted(text, n) + `}],"isError":false}`
	}
}

// StructuredResult is a result of one object.
func StructuredResult(n int) string {
	return `{"content":[{"type":"text","text":"see the structured content"}],"structuredContent":` + Structured(n) + `,"isError":false}`
}

// Numbers are the places in bodies that have [FirstNumber].
type Numbers struct{ places [][]byte }

// NumbersOf finds the places.
func NumbersOf(bodies ...[]byte) (all Numbers) {
	digits := []byte(strconv.Itoa(FirstNumber))
	for _, body := range bodies {
		for i := 0; ; i += len(digits) {
			at := bytes.Index(body[i:], digits)
			if at < 0 {
				break
			}
			i += at
			all.places = append(all.places, body[i:i+len(digits)])
		}
	}
	return all
}

// Set writes n, of nine digits, to all places.
func (a Numbers) Set(n int) { a.Count(n, len(a.places)) }

// Count writes n to the first places, n+1 to as many behind them, and so on.
func (a Numbers) Count(n, each int) {
	for at, place := range a.places {
		for i, v := len(place)-1, n+at/max(1, each); i >= 0; i, v = i-1, v/10 {
			place[i] = byte('0' + v%10)
		}
	}
}

// Len returns how many places there are.
func (a Numbers) Len() int { return len(a.places) }
