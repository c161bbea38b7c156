package store

import (
	"slices"

	"github.com/otelcol-mcp/otelcol-mcp/internal/correlate"
)

// Facts are the facts of a session, through all its epochs, and where they are stored.
type Facts struct {
	*correlate.Set
	slots map[uint32]int32 // of the records of its chunks; the Table's lock guards it
	bytes int64            // that they take, about, as of the last commit
	late  bool             // the transaction that has them added to them after their session's end
}

// FactsRecord is a part of a session's facts.
type FactsRecord struct {
	Name     string `cbor:"1,keyasint,omitempty"` // of the session
	Chunk    uint32 `cbor:"2,keyasint,omitempty"`
	Accounts []byte `cbor:"3,keyasint,omitempty"`
}

// fewFacts are kept where no agent is known: few sessions turn out to have one.
const fewFacts = 64

// Facts returns the facts of the session, for changes that end with the transaction.
func (tx *Tx) Facts(s *Session) *Facts {
	if s.Facts == nil {
		s.Facts = &Facts{Set: &correlate.Set{}}
		if until := s.More().Forgotten; until != 0 {
			s.Facts.Forget(until)
		}
	}
	if s.Facts.MaxFacts = fewFacts; s.Agent != nil {
		s.Facts.MaxFacts = tx.t.opt.MaxFacts
	}
	if !slices.Contains(tx.facts, s.Facts) {
		tx.facts = append(tx.facts, s.Facts)
	}
	return s.Facts
}

// weigh sets what the facts take by how many there are: what was taken back, and when they
// were stored, makes no difference to who has to make room.
func (f *Facts) weigh() {
	const empty, each = 1024, 160
	f.bytes = int64(empty + each*f.Len())
}

// summary returns what the facts count, and their totals.
func (f *Facts) summary() (u Summary, t correlate.Totals) {
	if f == nil {
		return u, t
	}
	t = f.Totals()
	return Summary{
		LLMCalls: t.ModelCalls, ToolCalls: t.ToolCalls, Errors: t.Errors, Tokens: t.Tokens(),
		Input: t.Usage.Input, Output: t.Usage.Output, CacheRead: t.Usage.CacheRead, CacheWrite: t.Usage.CacheWrite,
		Reasoning: t.Usage.Reasoning, Cost: t.Cost, HasCost: t.HasCost, Estimated: t.Estimated,
		Agents: int32(t.Agents), Turns: int32(t.Turns), Refusals: int32(t.Refusals), //nolint:gosec // facts are bounded
	}, t
}

// Known returns what the facts of all epochs count.
func (s *Session) Known() Summary {
	u, _ := s.Facts.summary()
	return u
}

// Totals returns the epoch's counts. The host's own totals win where they are larger.
func (s *Session) Totals() Summary {
	u := s.Known()
	if before := s.More().Before; before != nil {
		u = u.since(before)
	}
	u.AddEpoch(&s.Summary)
	if s.HasTokens {
		u.Tokens = max(u.Tokens, s.TokensUsed)
	}
	if s.HasToolCalls {
		u.ToolCalls = max(u.ToolCalls, s.ToolCalls)
	}
	return u
}

// AllTotals returns the counts of all epochs, as Totals does. A host's own totals are of
// its whole life.
func (s *Session) AllTotals() Summary {
	u := s.Known()
	u.AddEpoch(&s.Summary)
	if earlier := s.More().Earlier; earlier != nil {
		u.AddEpoch(earlier)
	}
	u.Tokens, u.ToolCalls = max(u.Tokens, s.TokensUsed), max(u.ToolCalls, s.ToolCalls)
	return u
}

// LastError returns the text of the error that ended last, among the facts and the others.
func (s *Session) LastError() string {
	_, t := s.Facts.summary()
	last := s.More().LastFailure
	if last != nil && (t.LastError == "" || last.At > t.LastErrorAt) {
		return last.Text
	}
	return t.LastError
}

// Continue takes over the facts of the session's former epoch, and what may lack of them.
func (s *Session) Continue(former *Session) {
	more := s.More()
	if more.Missed = former.More().Missed; more.Missed != nil {
		s.Extra = &more
	}
	s.Facts = former.Facts
	if s.Facts == nil {
		return
	}
	known := s.Known()
	more.Before = &known
	s.Extra = &more
}

// forget leaves of the session's facts what they count.
func (s *Session) forgetFacts() {
	if s.Facts == nil {
		return
	}
	more, earlier := s.More(), s.Known()
	if more.Earlier != nil {
		earlier.AddEpoch(more.Earlier)
	}
	more.Earlier, more.Before, more.Forgotten = &earlier, nil, s.Last+1
	s.Extra, s.Facts = &more, nil
}

// Forgot reports whether the session's facts were forgotten.
func (s *Session) Forgot() bool { return s.Facts == nil && s.More().Forgotten != 0 }

// Late notes that facts of the session became known after its end.
func (tx *Tx) Late(s *Session) { tx.Facts(s).late = true }

// LateRows yields the sessions that have ended of which that became known.
func (tx *Tx) LateRows(yield func(*Session) bool) {
	if !tx.t.rowsOn.Load() {
		return
	}
	for i := range tx.touched {
		s := tx.touched[i].entry.s
		if s != nil && s.Facts != nil && s.Facts.late && s.Shown() && s.More().End != nil && !yield(s) {
			return
		}
	}
}

// factBytes returns about how much memory the session's facts take.
func (s *Session) factBytes() int64 {
	if s.Facts == nil {
		return 0
	}
	return s.Facts.bytes
}

// settleFacts makes what the transaction added to facts final.
func (tx *Tx) settleFacts() {
	for _, f := range tx.facts {
		f.Commit()
		f.weigh()
		f.late = false
	}
}

// takeBackFacts takes that back.
func (tx *Tx) takeBackFacts() {
	for _, f := range tx.facts {
		f.Rollback()
		f.late = false
	}
}

// snapshotFacts adds to the copy of the entry's session what changed of its facts. The
// caller holds t.mu.
func (d *dirty) snapshotFacts(e *Entry, v *snapshot) {
	f := e.s.Facts
	if f == nil || e.book != BySession {
		return
	}
	v.record.Facts = f.Head()
	_ = f.Changed(func(chunk uint32, accounts []byte) error { // does not fail
		slot := f.slots[chunk]
		if accounts == nil {
			d.freeSlot(&slot, new(int))
			delete(f.slots, chunk)
			return nil
		}
		d.allocSlot(&slot)
		if f.slots == nil {
			f.slots = map[uint32]int32{}
		}
		f.slots[chunk] = slot
		v.chunks = append(v.chunks, chunkCopy{slot, &FactsRecord{Name: e.name, Chunk: chunk, Accounts: accounts}})
		return nil
	})
}

// chunkCopy is a copy of a part of a session's facts, to be stored.
type chunkCopy struct {
	slot   int32
	record *FactsRecord
}

// keepChunks adds the parts of an older copy that are not in the newer one and still there.
func (v *snapshot) keepChunks(older *snapshot) {
	for _, c := range older.chunks {
		same := func(o chunkCopy) bool { return o.slot == c.slot }
		if !slices.ContainsFunc(v.chunks, same) && v.facts != nil && v.facts.slots[c.record.Chunk] == c.slot {
			v.chunks = append(v.chunks, c)
		}
	}
}

// vacateFacts notes that the records of the facts are to go. The caller holds t.mu.
func (d *dirty) vacateFacts(f *Facts) {
	if f == nil {
		return
	}
	for _, slot := range f.slots {
		d.freeSlot(&slot, new(int))
	}
	f.slots = nil
}

// foundChunk is a part of a session's facts that was stored.
type foundChunk struct {
	*FactsRecord
	slot int32
}

// recall gives the sessions their facts. Of damaged ones nothing is left.
func (r *restoring) recall() {
	chunks := map[string][]foundChunk{}
	for _, c := range r.chunks {
		chunks[c.Name] = append(chunks[c.Name], c)
	}
	for _, e := range r.entries {
		found := chunks[e.name]
		if e.facts == nil || e.book != BySession {
			continue
		}
		delete(chunks, e.name)
		set, err := correlate.Restore(e.facts, func(yield func(uint32, []byte) bool) {
			for _, c := range found {
				if !yield(c.Chunk, c.Accounts) {
					return
				}
			}
		})
		if err != nil {
			r.fail(err)
			for _, c := range found {
				r.lose(c.slot)
			}
			continue
		}
		if !r.t.opt.KeepPayloads {
			set.ConcealTexts()
		}
		f := &Facts{Set: set}
		f.weigh()
		for _, c := range found {
			if f.slots == nil {
				f.slots = map[uint32]int32{}
			}
			f.slots[c.Chunk] = c.slot
		}
		e.s.Facts = f
	}
	for _, of := range chunks {
		for _, c := range of {
			r.lose(c.slot)
		}
	}
}
