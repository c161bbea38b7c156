package proxy

import (
	"bytes"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/frame"
)

// lineMax bounds the bytes kept of a line that is no data.
const lineMax = 4 << 10

// events reads a text/event-stream as it passes. Unlike a reader that returns
// whole events it holds no large one, and it is never waited for.
type events struct {
	messages *frame.Assembler
	endpoint func(url string) // called with the URL that the older transport announces

	line     []byte // the line so far, if it is no data
	inData   bool   // the line is data
	hasData  bool   // the event has a line of data
	name     string // of the event
	hasID    bool   // an event had an id: a client may go on behind it with another request
	announce []byte // data of an event named endpoint
}

// write reads the next part of the stream.
func (e *events) write(p []byte) {
	for {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			e.part(p)
			return
		}
		e.part(p[:end])
		e.endLine()
		p = p[end+1:]
	}
}

func (e *events) part(p []byte) {
	if e.inData {
		e.data(p)
		return
	}
	if room := lineMax - len(e.line); len(p) > room && !bytes.HasPrefix(append(e.line, p[:min(len(p), 5)]...), []byte("data:")) {
		p = p[:room]
	}
	e.line = append(e.line, p...)
	data, ok := bytes.CutPrefix(e.line, []byte("data:"))
	if !ok {
		return
	}
	if e.inData = true; e.hasData {
		e.data([]byte{'\n'})
	}
	e.hasData = true
	e.data(data)
	e.line = e.line[:0]
}

// data is white space and JSON, or the endpoint.
func (e *events) data(p []byte) {
	if e.name == "endpoint" {
		e.announce = append(e.announce, p[:min(len(p), lineMax-len(e.announce))]...)
		return
	}
	e.messages.Part(p)
}

func (e *events) endLine() {
	if e.inData {
		e.inData = false
		return
	}
	line := bytes.TrimSuffix(e.line, []byte("\r"))
	if name, ok := bytes.CutPrefix(line, []byte("event:")); ok {
		e.name = string(bytes.TrimSpace(name))
	}
	if bytes.HasPrefix(line, []byte("id:")) {
		e.hasID = true
	}
	if len(line) == 0 {
		e.dispatch()
	}
	e.line = e.line[:0]
}

func (e *events) dispatch() {
	if e.messages.End(); len(e.announce) > 0 {
		e.endpoint(string(bytes.TrimSpace(e.announce)))
	}
	e.name, e.hasData, e.announce = "", false, nil
}
