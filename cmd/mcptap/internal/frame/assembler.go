package frame

import "bytes"

// Assembler cuts a stream into frames and finds the messages in them. Frames
// end with a line feed, or where the caller says. What it holds is bounded by
// its limit: of a longer frame it reads on but keeps only what a reduced
// message has. It is not safe for concurrent use.
type Assembler struct {
	limit int
	emit  func(*Message)
	found Message // what was found last

	held  []byte // the frame so far, while it is within the limit
	total int64  // its size
	skim  *skim  // reads on where it is not
	torn  bool   // a part of the frame was not seen

	Lost int64 // frames of which no message could be made though there may have been one
}

// NewAssembler hands every message to emit; limit is the number of bytes from
// which on it is reduced.
func NewAssembler(limit int, emit func(*Message)) *Assembler {
	return &Assembler{limit: limit, emit: emit}
}

// Lines reads the next part of a stream of lines.
func (a *Assembler) Lines(p []byte) {
	for {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			a.Part(p)
			return
		}
		a.last(p[:end])
		p = p[end+1:]
	}
}

// last ends a frame with its last part, without copying a frame of one part.
func (a *Assembler) last(p []byte) {
	if a.total == 0 && !a.torn && len(p) <= a.limit {
		a.whole(p)
		return
	}
	a.Part(p)
	a.End()
}

// Part reads the next part of a frame.
func (a *Assembler) Part(p []byte) {
	if a.torn || len(p) == 0 {
		return
	}
	a.total += int64(len(p))
	switch {
	case a.skim != nil:
		a.skim.feed(p)
	case a.total <= int64(a.limit):
		a.held = append(a.held, p...)
	default:
		a.skim = &skim{}
		a.skim.feed(a.held)
		a.skim.feed(p)
		a.held = a.held[:0]
	}
}

// End ends the frame; without one it does nothing.
func (a *Assembler) End() {
	switch {
	case a.torn:
		a.Lost++
	case a.skim != nil:
		a.reduced()
	case a.total > 0:
		a.whole(a.held)
	}
	a.held = a.held[:0]
	a.total, a.skim, a.torn = 0, nil, false
}

// Gap reports that bytes went by unseen. In them so many lines ended, which are
// lost, and, if torn, another one began that has not ended yet.
func (a *Assembler) Gap(lines int64, torn bool) {
	a.Lost += lines
	a.held, a.skim, a.total = a.held[:0], nil, 0
	a.torn = torn
}

func (a *Assembler) whole(frame []byte) { a.found.parse(frame, a.emit) }

func (a *Assembler) reduced() {
	text, ok := a.skim.message()
	if !ok {
		a.Lost++
		return
	}
	a.found.parse(text, func(m *Message) {
		m.Bytes, m.Reduced = a.total, true
		a.emit(m)
	})
}
