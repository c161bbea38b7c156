package store

// edits holds the changes of a transaction beside its copies of sessions: of open calls and
// routes. Each change is in the journal, and in the list of what Commit has to do.
type edits struct {
	journal    []change
	opened     []*Call
	closed     []*Call
	progressed []progressMark // calls that made progress, or cannot
	requeue    []*Call        // calls that wait for something else than before
	edited     []*Call        // calls that changed in another way
	stuck      []*Call        // calls that were reported
	unstuck    int            // calls that were stuck and moved
	grown      int64          // bytes that calls opened before hold more than before
}

// progressMark says that a call goes on, with the message time from which on it may get
// stuck again.
type progressMark struct {
	call  *Call
	since int64
}

// reset are no edits, in the memory of e.
func (e *edits) reset() edits {
	clear(e.journal)
	clear(e.opened)
	clear(e.closed)
	clear(e.progressed)
	return edits{journal: e.journal[:0], opened: e.opened[:0], closed: e.closed[:0], progressed: e.progressed[:0]}
}

// size is the capacity of the largest list that reset keeps.
func (e *edits) size() int {
	return max(cap(e.journal), cap(e.opened), cap(e.closed), cap(e.progressed))
}

// undo takes all changes back, the latest first.
func (e *edits) undo() {
	for i := len(e.journal) - 1; i >= 0; i-- {
		e.journal[i].undo()
	}
}

// change is one entry of the journal: how to take back what a copy of the
// session does not have.
type change struct {
	kind     changeKind
	flag     bool // the progress token was the call's, the route was there, the call was stuck
	at       int
	bytes    int64
	s        *Session
	c        *Call
	before   *CallRecord
	parked   ParkKey
	progress Progress
	route    string // or the id of the call's latest request
	session  string
}

type changeKind uint8

const (
	opened changeKind = iota
	closed
	requeued // between those that wait for their reply and those that are parked
	edited
	progressed
	markedStuck
	routed
)

func (x *change) undo() {
	switch x.kind {
	case opened:
		x.s.remove(x.c)
	case closed:
		x.s.restore(x.c, x.flag)
		x.c.Ended = false
	case requeued:
		x.s.remove(x.c)
		x.c.Parked, x.c.RoundID = x.parked, x.route
		x.s.restore(x.c, x.flag)
	case edited:
		x.c.CallRecord = *x.before
		x.c.Bytes = x.bytes
	case progressed:
		x.undoProgress()
	case markedStuck:
		x.c.Stuck = x.flag
	case routed:
		delete(x.s.Redirects, x.route)
		if x.flag {
			x.s.Redirects[x.route] = x.session
		}
	}
}

func (x *change) undoProgress() {
	c := x.c
	c.Count--
	c.Bytes -= x.bytes
	if x.at < 0 {
		c.Progress = c.Progress[:len(c.Progress)-1]
	} else {
		c.Progress[x.at] = x.progress
	}
}

// Open makes the call one of the session's open ones.
func (e *edits) Open(s *Session, c *Call) {
	s.add(c)
	e.journal = append(e.journal, change{kind: opened, s: s, c: c})
	e.opened = append(e.opened, c)
}

// Close takes the call out of the session's open ones.
func (e *edits) Close(s *Session, c *Call) {
	e.journal = append(e.journal, change{kind: closed, s: s, c: c, flag: s.remove(c)})
	c.Ended = true
	e.closed = append(e.closed, c)
}

// Edit notes what the call is before it is changed. What finds it among the open
// ones is changed by Park and Unpark alone.
func (e *edits) Edit(c *Call) {
	before := c.CallRecord
	e.journal = append(e.journal, change{kind: edited, c: c, before: &before, bytes: c.Bytes})
	e.edited = append(e.edited, c)
}

// Park makes an open call wait for something other than its reply. Another one
// that waits for the same is in the way, and returned instead.
func (e *edits) Park(s *Session, c *Call, kind ParkKind, id string) (other *Call) {
	key := ParkKey{Kind: kind, Connection: c.Key.Connection, ID: id, FromClient: c.Key.FromClient}
	if other := s.Parked[key]; other != nil {
		return other
	}
	e.journal = append(e.journal, change{kind: requeued, s: s, c: c, parked: c.Parked, route: c.RoundID, flag: s.remove(c)})
	c.Parked = key
	s.add(c)
	e.requeue = append(e.requeue, c)
	return nil
}

// Unpark makes a parked call wait for the reply to its latest request again, which
// has that id.
func (e *edits) Unpark(s *Session, c *Call, id string) {
	e.journal = append(e.journal, change{kind: requeued, s: s, c: c, parked: c.Parked, route: c.RoundID, flag: s.remove(c)})
	c.Parked, c.RoundID = ParkKey{}, id
	s.add(c)
	e.requeue = append(e.requeue, c)
}

// SetDeadline ends the call at that arrival time at the latest.
func (e *edits) SetDeadline(c *Call, at int64) {
	e.Edit(c)
	c.Deadline = at
	e.requeue = append(e.requeue, c)
}

// Doubt notes that the reply to the call may be lost.
func (e *edits) Doubt(c *Call) {
	e.Edit(c)
	c.Uncertain = true
	if c.Stuck {
		c.Stuck = false
		e.journal = append(e.journal, change{kind: markedStuck, c: c, flag: true})
		e.unstuck++
	}
	e.requeue = append(e.requeue, c)
}

// AddProgress adds a progress event to an open call.
func (e *edits) AddProgress(c *Call, p Progress, limit int) {
	old, at := c.Note(p, limit)
	more := int64(len(p.Message) - len(old.Message))
	e.Grow(c, more)
	e.journal = append(e.journal, change{kind: progressed, c: c, progress: old, at: at, bytes: more})
}

// Grow accounts for what an open call holds more than before. It is taken back
// by what Edit noted.
func (e *edits) Grow(c *Call, bytes int64) {
	c.Bytes += bytes
	if c.node.Listed() {
		e.grown += bytes
	}
}

// MarkProgress notes that the call goes on, from a message time on.
func (e *edits) MarkProgress(c *Call, at int64) {
	if c.Stuck {
		c.Stuck = false
		e.journal = append(e.journal, change{kind: markedStuck, c: c, flag: true})
		e.unstuck++
	}
	e.progressed = append(e.progressed, progressMark{c, at})
}

// Spare leaves a call alone for as long again that waits for a person.
func (tx *Tx) Spare(c *Call) {
	tx.progressed = append(tx.progressed, progressMark{c, c.LastProgress + tx.now - c.ProgressArrival})
}

// MarkStuck notes that the call was reported as stuck.
func (e *edits) MarkStuck(c *Call) {
	c.Stuck = true
	e.journal = append(e.journal, change{kind: markedStuck, c: c})
	e.stuck = append(e.stuck, c)
}

// Continued notes that what is open in s belonged to a former epoch.
func (e *edits) Continued(s *Session) {
	for c := range s.EveryCall {
		e.edited = append(e.edited, c)
	}
}

// routesMax bounds the open requests of one connection whose replies are found
// by it.
const routesMax = 1024

// Route remembers to which session the reply with that key will belong, or with
// "" forgets it.
func (e *edits) Route(connection *Session, key, session string) {
	was, had := connection.Redirects[key]
	e.journal = append(e.journal, change{kind: routed, s: connection, route: key, session: was, flag: had})
	if had {
		connection.Held -= RouteBytes(key, was)
		delete(connection.Redirects, key)
	}
	if session == "" || len(connection.Redirects) >= routesMax {
		return
	}
	if connection.Redirects == nil {
		connection.Redirects = map[string]string{}
	}
	connection.Redirects[key] = session
	connection.Held += RouteBytes(key, session)
}
