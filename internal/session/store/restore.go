package store

import (
	"cmp"
	"iter"
	"slices"

	"github.com/otelcol-mcp/otelcol-mcp/internal/correlate"
)

// Restored counts what came back from a storage.
type Restored struct {
	Sessions int // that are open
	Calls    int
	Lost     int   // records that could not be read, or belong to nothing
	Err      error // why the first of them could not be read
}

// Restore brings back what [Changes] of other Tables had; from now on this one
// has Changes to ask for too. It must be new. In all, nothing could be heard in
// away ns until now, a Unix time: time-outs go on as if those had not passed. The
// error is the one that records yielded: then nothing is brought back.
func (t *Table) Restore(records iter.Seq2[Record, error], away, now int64) (Restored, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := restoring{t: t, away: away, slots: map[int32]bool{}, formers: map[string]*SessionRecord{}}
	for record, err := range records {
		if err != nil {
			t.names, t.dirty = newBooks(), dirty{}
			return Restored{}, err
		}
		r.read(record)
	}
	r.recall()
	r.join()
	r.lineUp()
	r.findFree()
	t.dirty.on, t.dirty.away = true, away
	if !t.opt.KeepPayloads || !t.opt.KeepEnvelopes {
		r.storeAgain()
	}
	t.latest = max(t.latest, now)
	t.restored = amounts{t.lru.Len(), t.openCalls(), t.bytes, t.held}
	t.bound()
	return r.Restored, nil
}

// restoring is the work of Restore, under the Table's lock.
type restoring struct {
	Restored
	t       *Table
	away    int64
	slots   map[int32]bool // taken
	formers map[string]*SessionRecord
	entries []timed
	found   []foundCall
	chunks  []foundChunk
	calls   []*Call
}

type foundCall struct {
	*RecordData
	gap  int64
	slot int32
}

// timed is an entry with the times that it had.
type timed struct {
	*Entry
	seen, alive int64
	facts       []byte
}

func (r *restoring) read(record Record) {
	r.slots[record.Slot] = true
	var v RecordData
	err := v.Unmarshal(record.Data)
	gap := r.away - v.Away
	switch {
	case err != nil:
		r.fail(err)
		r.lose(record.Slot)
	case v.Call != nil:
		v.Call.Arrival += gap // in whose order they come
		r.found = append(r.found, foundCall{&v, gap, record.Slot})
	case v.Part != nil:
		r.chunks = append(r.chunks, foundChunk{v.Part, record.Slot})
	default:
		r.open(record.Slot, &v, gap)
	}
}

// fail keeps the first error.
func (r *restoring) fail(err error) {
	if r.Err == nil {
		r.Err = err
	}
}

// lose gives up a record.
func (r *restoring) lose(slot int32) {
	r.Lost++
	r.t.dirty.freeSlot(&slot, new(int))
}

// open opens a session; gap is for how long nothing could be heard.
func (r *restoring) open(slot int32, v *RecordData, gap int64) {
	book := BySession
	switch {
	case v.Session.Connection:
		book = ByConnection
	case v.Session.Number == 0:
		book = ByFile
	}
	if r.t.names[book][v.Session.ID] != nil {
		r.lose(slot)
		return
	}
	s := &Session{SessionRecord: *v.Session}
	s.Arrival, s.Heard, s.IdleOffset = s.Arrival+gap, s.Heard+gap, s.IdleOffset+gap
	if !s.Open() {
		s.Ended += gap
	}
	if !r.t.opt.KeepPayloads {
		s.DropPayloads()
	}
	s.Held = s.Bytes()
	e := r.t.newEntry(book, s.ID)
	if e.s, e.slot = s, slot; v.Sign != 0 {
		e.sign = v.Sign + gap
	}
	r.entries = append(r.entries, timed{e, v.Seen + gap, v.Alive + gap, v.Facts})
}

// join gives the sessions their calls.
func (r *restoring) join() {
	slices.SortFunc(r.found, func(a, b foundCall) int {
		return cmp.Or(cmp.Compare(a.Call.Arrival, b.Call.Arrival), recordsInOrder(a.Call, b.Call), cmp.Compare(a.slot, b.slot))
	})
	for _, f := range r.found {
		r.add(f)
	}
	for _, e := range r.entries {
		e.s.forgetAsking()
		e.s.forgetLost()
	}
}

// knownAccount returns the account if it came back, else none.
func (s *Session) knownAccount(a correlate.Account) correlate.Account {
	if s.Facts != nil {
		if _, ok := s.Facts.Of(a); ok {
			return a
		}
	}
	return 0
}

// forgetLost takes the accounts that did not come back from what the agent did.
func (s *Session) forgetLost() {
	for _, a := range s.Agents {
		a.Account = s.knownAccount(a.Account)
	}
	if s.Agent == nil {
		return
	}
	for i := range s.Agent.Done {
		d := &s.Agent.Done[i]
		d.Account = s.knownAccount(d.Account)
	}
}

// forgetAsking leaves only calls that are open among those for which a person is
// asked.
func (s *Session) forgetAsking() {
	if s.Agent == nil {
		return
	}
	s.Agent.Asking = slices.DeleteFunc(s.Agent.Asking, func(key CallKey) bool { return s.Calls[key] == nil })
	if len(s.Agent.Asking) == 0 {
		s.Agent.Asking = nil
	}
}

// add adds a call to its session, if that is open.
func (r *restoring) add(f foundCall) {
	book := BySession
	if f.ByConnection {
		book = ByConnection
	}
	e := r.t.names[book][f.Name]
	if e == nil || !e.s.Open() {
		r.lose(f.slot)
		return
	}
	c := r.call(f, e)
	if e.s.Calls[c.OpenKey()] != nil && c.Parked.Kind == 0 || e.s.Parked[c.Parked] != nil {
		r.lose(f.slot)
		return
	}
	c.slot = f.slot
	c.Account = e.s.knownAccount(c.Account)
	e.s.add(c)
	r.calls = append(r.calls, c)
}

// call is the call that was stored, open in e. Its arrival is shifted already.
func (r *restoring) call(f foundCall, e *Entry) *Call {
	opt := &r.t.opt
	c := &Call{CallRecord: *f.Call, Of: e.s.Reported(), entry: e}
	if f.Former != nil {
		c.Of = r.former(f.Former)
	}
	c.ProgressArrival, c.LastProgress = c.ProgressArrival+f.gap, c.LastProgress+f.gap
	if c.Deadline != 0 && (c.TaskEnd != 0 || c.Kept()) { // how long we wait, not the server
		c.Deadline += f.gap
	}
	c.Progress = c.Events()
	if n := len(c.Progress); n > opt.MaxProgress {
		c.Progress = append(c.Progress[:1:1], c.Progress[n-opt.MaxProgress+1:]...)
	}
	c.Count = len(c.Progress)
	if !opt.KeepPayloads {
		c.DropPayloads()
	}
	if !opt.KeepEnvelopes {
		c.Envelope = ""
	}
	c.Bytes = c.CallRecord.Bytes()
	c.bind()
	return c
}

// former is the session of an epoch that is over, once for all its calls.
func (r *restoring) former(v *SessionRecord) *SessionRecord {
	if s := r.formers[v.Identity]; s != nil {
		return s
	}
	r.formers[v.Identity] = v
	return v
}
