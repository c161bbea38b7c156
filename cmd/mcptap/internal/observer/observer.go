// Package observer turns the messages of one connection into observation records.
package observer

import (
	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/frame"
	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/spool"
	"github.com/otelcol-mcp/otelcol-mcp/internal/observation"
)

// The streams of a spool.
const (
	FromClient = iota
	FromServer
)

// Sink receives records, and how many records of a connection are lost; message
// is nil for an end.
type Sink interface {
	Add(r *observation.Record, message []byte)
	Dropped(around *observation.Record, n int64)
}

// Options say what is known of the connection before anything is seen.
type Options struct {
	Around     observation.Record // for every record of it; Session is the fallback for ACP
	MaxMessage int                // bytes from which on a message is reduced
	Named      bool               // Around.Session was named by the user: every record has it
	Propagate  bool               // requests get a trace context on their way
	Namespace  string             // of the receiver, for that
}

// Observer turns chunks of two streams of lines into records. It is not safe
// for concurrent use.
type Observer struct {
	opt      Options
	sink     Sink
	streams  [2]*frame.Assembler
	sessions sessions
	now      int64 // of the chunk at hand
	last     int64 // of the last record
	next     observation.Record
}

// New makes an observer.
func New(opt Options, sink Sink) *Observer {
	o := &Observer{opt: opt, sink: sink}
	o.streams[FromClient] = frame.NewAssembler(opt.MaxMessage, func(m *frame.Message) { o.observe(FromClient, m) })
	o.streams[FromServer] = frame.NewAssembler(opt.MaxMessage, func(m *frame.Message) { o.observe(FromServer, m) })
	return o
}

// Look reads the next chunk.
func (o *Observer) Look(c spool.Chunk) {
	stream := o.streams[c.Stream]
	o.now = c.Time
	if c.Gap.Present {
		stream.Gap(c.Gap.Lines, c.Gap.Torn)
		o.lost(stream) // before what follows it
	}
	stream.Lines(c.Bytes)
	o.lost(stream)
}

func (o *Observer) lost(stream *frame.Assembler) {
	o.sink.Dropped(&o.opt.Around, stream.Lost)
	stream.Lost = 0
}

// End reads the last lines, which need no line feed, and records that the
// sessions are over, at a time in Unix ns; with the exit code if there is one to record.
func (o *Observer) End(at int64, exitCode int, hasCode bool) {
	for _, stream := range o.streams {
		stream.End()
		o.lost(stream)
	}
	o.now = at
	for _, session := range o.sessions.all(o.opt.Around.Session) {
		r := o.record()
		r.Session = session
		r.End = observation.End{Present: true, Reason: "closed", HasExitCode: hasCode}
		if hasCode {
			r.End.ExitCode = int64(exitCode)
		}
		o.sink.Add(r, nil)
	}
}

// record is the next one, later than the last: two notifications that say the
// same at the same time would be treated as one.
func (o *Observer) record() *observation.Record {
	o.last = max(o.now, o.last+1)
	o.next = o.opt.Around
	o.next.Time = o.last
	return &o.next
}

func (o *Observer) observe(stream int, m *frame.Message) {
	if m.IsAnonymous() {
		return
	}
	r := o.record()
	r.Direction = observation.ClientToServer
	if stream == FromServer {
		r.Direction = observation.ServerToClient
	}
	if r.Protocol == observation.ProtocolACP && !o.opt.Named {
		r.Session = o.sessions.of(stream, m, r.Session)
	}
	if m.Reduced {
		r.Bytes, r.Reduced = m.Bytes, true
	}
	if o.opt.Propagate && stream == FromClient && m.IsRequest() {
		r.Time = o.now // the context on its way was derived from it
		if m.RequestID == "" {
			r.RequestID = ContextOf(o.opt.Namespace, r.TraceOf(), r.Connection, m.ID, r.Time).RequestID
		}
	}
	o.sink.Add(r, m.Text)
}
