package observer

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/spool"
	"github.com/otelcol-mcp/otelcol-mcp/internal/observation"
)

// kept is a sink.
type kept struct {
	records  []observation.Record
	messages []string
	dropped  int64
}

func (k *kept) Add(r *observation.Record, message []byte) {
	k.records = append(k.records, *r)
	k.messages = append(k.messages, string(message))
}

func (k *kept) Dropped(_ *observation.Record, n int64) { k.dropped += n }

func look(o *Observer, at int64, stream int, text string) {
	o.Look(spool.Chunk{Time: at, Stream: stream, Bytes: []byte(text)})
}

func TestRecords(t *testing.T) {
	around := observation.Record{Session: "s", Connection: "c", Host: "h", Transport: "stdio", ServerURI: "stdio:///x"}
	var k kept
	o := New(Options{Around: around, MaxMessage: 60}, &k)
	look(o, 100, FromClient, `{"id":1,"method":"a"}`+"\n"+`{"method":"b"}`+"\nno JSON\n")
	look(o, 50, FromServer, `{"id":1,"result":{"content":"0123456789012345678901234567890123456789"}}`+"\r\n")
	look(o, 300, FromServer, `{"method":"last"}`)
	o.Look(spool.Chunk{Time: 400, Stream: FromClient, Gap: spool.Gap{Present: true, Lines: 2, Torn: true}, Bytes: []byte("…\n")})
	o.End(500, 3, true)
	with := func(change func(*observation.Record)) observation.Record {
		r := around
		change(&r)
		return r
	}
	assert.Equal(t, []observation.Record{
		with(func(r *observation.Record) { r.Time, r.Direction = 100, observation.ClientToServer }),
		with(func(r *observation.Record) { r.Time, r.Direction = 101, observation.ClientToServer }),
		with(func(r *observation.Record) {
			r.Time, r.Direction, r.Bytes, r.Reduced = 102, observation.ServerToClient, 73, true
		}),
		with(func(r *observation.Record) { r.Time, r.Direction = 400, observation.ServerToClient }),
		with(func(r *observation.Record) {
			r.Time, r.End = 500, observation.End{Present: true, Reason: "closed", ExitCode: 3, HasExitCode: true}
		}),
	}, k.records)
	assert.Equal(t, []string{`{"id":1,"method":"a"}`, `{"method":"b"}`, `{"id":1,"result":{}}`, `{"method":"last"}`, ""}, k.messages)
	assert.Equal(t, int64(3), k.dropped)
}

func TestPropagatedRequestID(t *testing.T) {
	var k kept
	o := New(Options{Around: observation.Record{Session: "s", Connection: "c"}, MaxMessage: 1000, Propagate: true, Namespace: "n"}, &k)
	look(o, 1, FromClient, `{"id":1,"method":"a"}`+"\n"+`{"id":2,"method":"a","params":{"_meta":{"requestId":"own"}}}`+"\n"+`{"method":"b"}`+"\n")
	assert.Equal(t, ContextOf("n", "s", "c", `1`, 1).RequestID, k.records[0].RequestID)
	assert.Empty(t, k.records[1].RequestID)
	assert.Empty(t, k.records[2].RequestID)
}

// The span is in the agent's session, so the ids that are propagated are too.
func TestPropagatedRequestIDInAgentSession(t *testing.T) {
	var k kept
	o := New(Options{
		Around:     observation.Record{Session: "s", Connection: "c", AgentSession: "agent"},
		MaxMessage: 1000, Propagate: true, Namespace: "n",
	}, &k)
	look(o, 1, FromClient, `{"id":1,"method":"a"}`+"\n")
	assert.Equal(t, ContextOf("n", "agent", "c", `1`, 1).RequestID, k.records[0].RequestID)
}

// On one ACP connection there may be many sessions.
func TestACPSessions(t *testing.T) {
	var k kept
	around := observation.Record{Session: "process", Connection: "c", Protocol: observation.ProtocolACP}
	o := New(Options{Around: around, MaxMessage: 1000}, &k)
	for _, step := range []struct {
		stream        int
		text, session string
	}{
		{FromClient, `{"id":0,"method":"initialize"}`, "process"},
		{FromServer, `{"id":0,"result":{}}`, "process"},
		{FromClient, `{"id":1,"method":"session/new"}`, "process"},
		{FromServer, `{"id":1,"result":{"sessionId":"x"}}`, "process"},
		{FromClient, `{"id":2,"method":"session/prompt","params":{"sessionId":"x"}}`, "x"},
		{FromServer, `{"method":"session/update","params":{"sessionId":"x"}}`, "x"},
		{FromServer, `{"id":2,"method":"fs/read_text_file","params":{"sessionId":"y"}}`, "y"},
		{FromClient, `{"id":2,"result":{}}`, "y"},
		{FromServer, `{"id":2,"result":{}}`, "x"},
	} {
		look(o, 1, step.stream, step.text+"\n")
		assert.Equal(t, step.session, k.records[len(k.records)-1].Session, step.text)
	}
	k = kept{}
	o.End(2, 0, true)
	var ended []string
	for _, r := range k.records {
		ended = append(ended, r.Session)
	}
	assert.Equal(t, []string{"process", "x", "y"}, ended)
}
