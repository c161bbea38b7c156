package report

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/observation"
)

// lineMax is the longest line that can be sent: what a receiver accepts in
// one request by default.
const lineMax = 16 << 20

// Replaying says how a file is sent.
type Replaying struct {
	From int           // number of the first line to send, from 1
	Wait time.Duration // how long to wait for a collector that is unreachable or busy
	Log  io.Writer     // gets a line when that begins
}

// Replayed is the outcome of a replay.
type Replayed struct {
	Sent    int64 // records that were accepted
	Refused int64 // records that will never be
	Next    int   // number of the line to go on from, 0 if none is left
}

// Replay sends the records of r, one a line, in order and in batches of one
// session each. It returns when all were accepted or refused; Next is set if it gave
// up before, since the collector was unreachable or busy for too long, refuses
// everything from this client, or ctx is done. The error says why not all were
// accepted.
func Replay(ctx context.Context, r io.Reader, c *Client, opt Replaying) (Replayed, error) {
	return replay(ctx, r, c, c.endpoint, opt)
}

func replay(ctx context.Context, r io.Reader, to destination, name string, opt Replaying) (Replayed, error) {
	p := player{Replaying: opt, ctx: ctx, to: to, name: name}
	if err := p.file(bufio.NewReaderSize(r, 64<<10)); err != nil {
		if p.Next = p.number; p.records > 0 {
			p.Next = p.first // of these it is not known what became
		}
		return p.Replayed, err
	}
	if p.Refused > 0 {
		return p.Replayed, fmt.Errorf("%d records were rejected: %w", p.Refused, p.why)
	}
	return p.Replayed, nil
}

// player is a replay that is going on.
type player struct {
	Replaying
	Replayed
	ctx  context.Context //nolint:containedctx // of one call of Replay
	to   destination
	name string

	number int // of the line at hand

	session string
	lines   []byte // to be sent next
	records int64  // in them
	first   int    // number of the first of them
	why     error  // the last refusal
}

func (p *player) file(from *bufio.Reader) error {
	var text []byte
	for p.number = 1; ; p.number++ {
		line, long, err := readLine(from, text[:0])
		if err != nil && !errors.Is(err, io.EOF) {
			return errors.Join(err, p.flush())
		}
		if text = line; p.number >= p.From {
			if wrong := p.line(line, long); wrong != nil {
				return wrong
			}
		}
		if err != nil {
			return p.flush()
		}
	}
}

// readLine appends the next line to text; of one that is too long nothing is
// kept. The error is io.EOF after the last.
func readLine(from *bufio.Reader, text []byte) (line []byte, long bool, err error) {
	for {
		part, err := from.ReadSlice('\n')
		if long = long || len(text)+len(part) > lineMax; long {
			text = text[:0]
		} else {
			text = append(text, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return text, long, err
		}
	}
}

func (p *player) line(text []byte, long bool) error {
	text = bytes.TrimSpace(text)
	if len(text) == 0 && !long {
		return nil
	}
	session, ok := sessionOf(text)
	if !ok {
		p.Refused++
		p.why = fmt.Errorf("line %d is not an observation record", p.number)
		if long {
			p.why = fmt.Errorf("line %d is longer than %[2]d MiB, the most that a collector accepts", p.number, lineMax>>20)
		}
		return nil
	}
	if p.records > 0 && (session != p.session || len(p.lines)+len(text) > batchBytes || p.records >= batchRecords) {
		if err := p.flush(); err != nil {
			return err
		}
	}
	if p.records == 0 {
		p.first = p.number
	}
	p.session = session
	p.lines = append(append(p.lines, text...), '\n')
	p.records++
	return nil
}

// sessionOf is the session of a record, false if the text is none.
func sessionOf(text []byte) (string, bool) {
	var r observation.Record
	var c jsonscan.Cursor
	c.Reset(text)
	if c.Peek() != '{' {
		return "", false
	}
	c.EnterObject()
	for key, ok := c.Key(); ok; key, ok = c.Key() {
		if !r.Member(key, &c) {
			c.Value()
		}
	}
	return string([]byte(r.Session)), c.Err() == nil && c.End()
}

// flush sends what was gathered; the error says why it cannot be sent now.
func (p *player) flush() error {
	if p.records == 0 {
		return nil
	}
	begun, pauses := time.Now(), newBackOff()
	for waiting := false; ; waiting = true {
		err := p.to.post(p.ctx, p.session, p.lines)
		no, refused := errors.AsType[*refusal](err)
		switch {
		case p.ctx.Err() != nil && refused:
			return context.Cause(p.ctx)
		case refused && no.all:
			return fmt.Errorf("%s: %w", p.name, no)
		case !refused || !no.retry:
			p.count(err)
			return nil
		}
		left := p.Wait - time.Since(begun)
		if left <= 0 {
			return p.giveUp(no)
		}
		if !waiting {
			fmt.Fprintf(p.Log, "mcptap: %s: %v: retrying for up to %v\n", p.name, no, p.Wait)
		}
		select {
		case <-p.ctx.Done():
			return context.Cause(p.ctx)
		case <-time.After(min(left, max(pauses.NextBackOff(), no.after))):
		}
	}
}

func (p *player) giveUp(no *refusal) error {
	if no.away {
		return fmt.Errorf("%s: %w, for %v: start the collector, or set --endpoint", p.name, no, p.Wait)
	}
	return fmt.Errorf("%s: %w, for %v: the collector or its pipeline is overloaded", p.name, no, p.Wait)
}

func (p *player) count(err error) {
	refused := int64(0)
	if some, ok := errors.AsType[*rejection](err); ok {
		refused = some.records
	} else if err != nil {
		refused = p.records
	}
	if err != nil {
		p.why = err
	}
	p.Sent += p.records - refused
	p.Refused += refused
	p.lines, p.records = p.lines[:0], 0
}
