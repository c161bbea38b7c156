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
	"github.com/otelcol-mcp/otelcol-mcp/internal/record"
)

// lineMax is the longest line that can be sent: what a receiver takes at once
// unless it is told otherwise.
const lineMax = 16 << 20

// Replay sends the records of r, one a line, in order and in batches of one
// session each. It waits for a collector that is away or busy until ctx is
// done, and complains to log when it begins to wait. The number is of records
// that were taken; the error tells of those that were not.
func Replay(ctx context.Context, r io.Reader, c *Client, log io.Writer) (sent int64, err error) {
	p := player{ctx: ctx, to: c, name: c.endpoint, log: log}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, lineMax)
	for number := 1; lines.Scan(); number++ {
		if err = p.line(lines.Bytes(), number); err != nil {
			return p.sent, err
		}
	}
	if err = lines.Err(); err != nil {
		return p.sent, err
	}
	if err = p.flush(); err == nil && p.refused > 0 {
		err = fmt.Errorf("%d records were refused for good: %w", p.refused, p.why)
	}
	return p.sent, err
}

// player is a replay that is going on.
type player struct {
	ctx  context.Context //nolint:containedctx // of one call of Replay
	to   destination
	name string
	log  io.Writer

	session string
	lines   []byte
	records int64

	sent, refused int64
	why           error
}

func (p *player) line(text []byte, number int) error {
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return nil
	}
	session, ok := sessionOf(text)
	if !ok {
		p.refused++
		p.why = fmt.Errorf("line %d is no observation record", number)
		return nil
	}
	if p.records > 0 && (session != p.session || len(p.lines)+len(text) > batchBytes || p.records >= batchRecords) {
		if err := p.flush(); err != nil {
			return err
		}
	}
	p.session = session
	p.lines = append(append(p.lines, text...), '\n')
	p.records++
	return nil
}

// sessionOf is the session of a record, false if the text is none.
func sessionOf(text []byte) (string, bool) {
	var r record.Record
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

// flush sends what was gathered; the error is that of the context.
func (p *player) flush() error {
	if p.records == 0 {
		return nil
	}
	for wait := shortest; ; wait = min(2*wait, longest) {
		err := p.to.post(p.ctx, p.session, p.lines)
		no, refused := errors.AsType[*refusal](err)
		if !refused || !no.retry {
			p.count(err)
			return nil
		}
		if wait == shortest {
			fmt.Fprintf(p.log, "mcptap: %s: %v: waiting for it\n", p.name, no)
		}
		select {
		case <-p.ctx.Done():
			return context.Cause(p.ctx)
		case <-time.After(max(wait, no.after)):
		}
	}
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
	p.sent += p.records - refused
	p.refused += refused
	p.lines, p.records = p.lines[:0], 0
}
