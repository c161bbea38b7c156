package correlate

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
)

// chunkSize is the number of accounts in a record, and so the most facts that it holds.
const chunkSize = 256

// recordVersion begins each record.
const recordVersion = 1

// headVersion begins the head.
const headVersion = 2

// maxChunks limits the chunks that a set may span.
const maxChunks = 1 << 13

// Changed calls put with the number and the record of each chunk that changed since it was
// put last. A nil record is to be deleted. It stops at an error, and returns it: what was
// not put is changed still. The records are new memory.
func (s *Set) Changed(put func(chunk uint32, record []byte) error) error {
	for len(s.empty) > 0 {
		if err := put(s.empty[0], nil); err != nil {
			return err
		}
		s.empty = s.empty[1:]
	}
	for i := range s.chunks {
		if !s.dirty[i] {
			continue
		}
		if err := put(s.base+uint32(i), s.record(i)); err != nil {
			return err
		}
		s.dirty[i] = false
	}
	return nil
}

// Head returns the record of what is in no chunk: it is stored with each change.
func (s *Set) Head() []byte {
	f := s.folded
	if f == nil {
		f = &folded{}
	}
	b := binary.AppendUvarint([]byte{headVersion, byte(s.seen)}, uint64(s.end))
	for _, n := range append(f.sums.fields(), f.fields()...) {
		b = binary.AppendVarint(b, *n)
	}
	return append(b, f.last.text...)
}

// fields are all numbers beside the sums, in the order in which they are stored.
func (f *folded) fields() []*int64 {
	return []*int64{&f.errors, &f.last.end, &f.recent.key, &f.recent.value, &f.peak, &f.horizon}
}

// words numbers the 64-bit values of a chunk. Each is stored once: accounts of one fact
// have the same ids.
type words struct {
	all []uint64
	at  map[uint64]uint64
}

// ref returns the number of the word, zero for none.
func (w *words) ref(word uint64) uint64 {
	if word == 0 {
		return 0
	}
	at, ok := w.at[word]
	if !ok {
		w.all = append(w.all, word)
		at = uint64(len(w.all))
		w.at[word] = at
	}
	return at
}

// record returns the chunk at that index, nil if it is empty.
func (s *Set) record(index int) []byte {
	if s.chunks[index] == nil {
		return slices.Clone(s.packed[index].record)
	}
	w := words{at: make(map[uint64]uint64)}
	labels, labelAt := []uint32(nil), make(map[uint32]uint64)
	var body []byte
	last, was := -1, int64(0)
	for i := range s.chunks[index] {
		a := &s.chunks[index][i]
		if !a.live() {
			continue
		}
		label, ok := labelAt[a.name]
		if !ok {
			label = uint64(len(labels))
			labels, labelAt[a.name] = append(labels, a.name), label
		}
		u, text := s.uses.get(a.use), s.texts[(s.base+uint32(index))*chunkSize+uint32(i)] //nolint:gosec // both are few
		body = append(body, byte(i-last-1),                                               //nolint:gosec // a chunk is no larger
			byte(a.source)<<4|byte(a.kind), a.stages<<4|a.flags&storedFlags,
			byte(a.outcome)<<4|byte(a.verdict)<<2|u.rank)
		last = i
		for _, id := range a.ids {
			body = binary.AppendUvarint(body, w.ref(uint64(id)))
		}
		body = binary.AppendUvarint(body, label)
		for _, word := range [...]uint64{a.contentWord(), uint64(a.parent)} {
			body = binary.AppendUvarint(body, w.ref(word))
		}
		body = binary.AppendUvarint(body, uint64(a.thread))
		body = binary.AppendVarint(body, a.start-was)
		was = a.start
		body = binary.AppendVarint(body, a.endAfter())
		if u.known {
			body = append(body, 1)
			for _, n := range u.tokens {
				body = binary.AppendUvarint(body, uint64(n))
			}
		} else {
			body = append(body, 0)
		}
		if u.rank != 0 {
			body = binary.AppendVarint(body, u.cost)
		}
		body = appendText(body, text)
	}
	if last < 0 {
		return nil
	}
	b := binary.AppendUvarint([]byte{recordVersion}, uint64(len(labels)))
	for _, l := range labels {
		b = appendText(appendText(b, s.names.all[l].name), s.names.all[l].alias)
	}
	b = binary.AppendUvarint(b, uint64(len(w.all)))
	for _, word := range w.all {
		b = binary.LittleEndian.AppendUint64(b, word)
	}
	return append(b, body...)
}

// contentWord is the content as far as nothing else says it.
func (a *account) contentWord() uint64 {
	if a.kind == ModelCall {
		return 0
	}
	return uint64(a.content)
}

// endAfter returns the duration in ns plus one, zero without an end.
func (a *account) endAfter() int64 {
	if a.end == 0 {
		return 0
	}
	return a.end - a.start + 1
}

func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// Restore returns the set of which these are the records. It goes on as if it had never
// been stored.
func Restore(head []byte, chunks iter.Seq2[uint32, []byte]) (*Set, error) {
	s := &Set{folded: &folded{}}
	h := reader{b: head}
	sums := s.folded.sums.fields()
	switch h.byte() {
	case headVersion:
	case 1:
		sums = sums[:len(sums)-laterFields]
	default:
		return nil, errors.New("facts: head of an unknown version")
	}
	s.seen = Sources(h.byte())
	end := h.uvarint()
	for _, n := range append(sums, s.folded.fields()...) {
		*n = h.varint()
	}
	s.folded.last.text = string(h.b)
	if s.folded.sums.facts == 0 && s.folded.horizon == 0 {
		s.folded = nil
	}
	if h.bad || end > none {
		return nil, errors.New("facts: head is damaged")
	}
	type stored struct {
		chunk  uint32
		record []byte
	}
	var all []stored
	for chunk, record := range chunks {
		all = append(all, stored{chunk, record})
	}
	slices.SortFunc(all, func(a, b stored) int { return cmp.Compare(a.chunk, b.chunk) })
	for i, c := range all {
		if i == 0 {
			s.base = c.chunk
		}
		if c.chunk-s.base >= maxChunks || (uint64(c.chunk)+1)*chunkSize > none || i > 0 && all[i-1].chunk == c.chunk {
			return nil, fmt.Errorf("facts: chunk %d is out of place", c.chunk)
		}
		if err := s.read(c.chunk, c.record); err != nil {
			return nil, fmt.Errorf("facts: chunk %d: %w", c.chunk, err)
		}
	}
	if len(s.chunks) == 0 {
		s.base = uint32(end / chunkSize)
		s.end = s.base * chunkSize
	}
	s.first = s.base * chunkSize
	if end > uint64(s.first)+maxChunks*chunkSize {
		return nil, errors.New("facts: head is damaged")
	}
	for uint64(s.end) < end {
		s.grow()
	}
	if err := s.relink(); err != nil {
		return nil, err
	}
	return s, nil
}

// grow adds an account that is none.
func (s *Set) grow() {
	if s.end%chunkSize == 0 || len(s.chunks) == 0 {
		s.chunks, s.packed, s.dirty = append(s.chunks, nil), append(s.packed, pack{}), append(s.dirty, false)
		s.plain++
	}
	last := &s.chunks[len(s.chunks)-1]
	if len(*last) == cap(*last) { // append would make room for more than a chunk has
		*last = append(make([]account, 0, min(chunkSize, max(2, 2*len(*last)))), *last...)
	}
	*last = append(*last, noAccount(s.end))
	s.end++
}

// read takes the accounts of one chunk.
func (s *Set) read(chunk uint32, record []byte) error {
	if len(s.chunks) == 0 {
		s.end = chunk * chunkSize
	}
	for s.end < chunk*chunkSize {
		s.grow()
	}
	err := s.decode(chunk, record, func(at uint32, d *draft) {
		for s.end <= at {
			s.grow()
		}
		s.write(at, d)
	})
	clear(s.dirty)
	return err
}

// decode calls put with each account of a record.
func (s *Set) decode(chunk uint32, record []byte, put func(at uint32, d *draft)) error {
	r := reader{b: record}
	if r.byte() != recordVersion {
		return errors.New("unknown version")
	}
	var labels []label
	for range r.count() {
		labels = append(labels, label{r.text(), r.text()})
	}
	var all []uint64
	for range r.count() {
		all = append(all, r.word())
	}
	word := func() uint64 {
		at := r.uvarint()
		if at == 0 || at > uint64(len(all)) {
			r.bad = r.bad || at != 0
			return 0
		}
		return all[at-1]
	}
	at, was := chunk*chunkSize, int64(0)
	for len(r.b) > 0 && !r.bad {
		at += uint32(r.byte())
		d := draft{}
		kind, stages, outcome := r.byte(), r.byte(), r.byte()
		d.source, d.kind = Source(kind>>4), Kind(kind&15)
		d.stages, d.flags = stages>>4, stages&storedFlags
		d.outcome, d.verdict, d.use.rank = Outcome(outcome>>4), Verdict(outcome>>2&3), outcome&3
		for i := range d.ids {
			d.ids[i] = ID(word())
		}
		sortIDs(&d.ids)
		if at := r.uvarint(); at < uint64(len(labels)) {
			d.label = labels[at]
		} else {
			r.bad = true
		}
		d.content, d.parent = uint32(word()), ID(word()) //nolint:gosec // it is what was stored
		d.thread = uint16(min(r.uvarint(), math.MaxUint16))
		d.start = was + r.varint()
		was = d.start
		if n := r.varint(); n != 0 {
			d.end = d.start + n - 1
		}
		if d.use.known = r.byte() != 0; d.use.known {
			for i := range d.use.tokens {
				d.use.tokens[i] = uint32(min(r.uvarint(), maxTokens))
			}
		}
		if d.use.rank != 0 {
			d.use.cost = min(max(r.varint(), 0), maxCost)
		}
		d.text = r.text()
		if d.kind == ModelCall {
			d.content = d.use.digest()
		}
		if r.bad || !d.sound() || at >= (chunk+1)*chunkSize {
			break
		}
		d.name = s.names.intern(d.label)
		d.group = s.groupOf(&d)
		put(at, &d)
		at++
	}
	if r.bad || len(r.b) > 0 {
		return errors.New("damaged")
	}
	return nil
}

// sound reports whether the account is one that can have been stored.
func (d *draft) sound() bool {
	return d.source > 0 && d.source < sources && d.kind > 0 && d.kind < kinds && d.stages > 0 && d.stages < 1<<stages &&
		d.start > 0 && (d.end == 0 || d.end >= d.start) && d.ids[0] != 0 && d.outcome <= Refused && d.use.rank <= 2
}

// relink makes the facts of the accounts that were read.
func (s *Set) relink() error {
	s.begin()
	defer s.done()
	met := make(map[uint64]struct{})
	for seq := s.first; seq < s.end; seq++ {
		a := s.at(seq)
		if !a.live() {
			continue
		}
		a.flags |= touched
		s.regroup = append(s.regroup, seq)
		key := idKey(a.kind, a.ids[0]) ^ uint64(a.source)<<48
		if _, twice := met[key]; twice {
			return errors.New("facts: ids are damaged")
		}
		met[key] = struct{}{}
	}
	s.toGroups(s.regroup)
	s.admit(slices.Clone(s.regroup))
	return nil
}

// reader reads a record. What is not there is zero, and bad is set.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) take(n uint64) []byte {
	if n > uint64(len(r.b)) {
		r.bad, r.b = true, nil
		return nil
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *reader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) word() uint64 {
	if b := r.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (r *reader) uvarint() uint64 {
	n, size := binary.Uvarint(r.b)
	r.take(uint64(max(size, 1)))
	r.bad = r.bad || size <= 0
	return n
}

func (r *reader) varint() int64 {
	n, size := binary.Varint(r.b)
	r.take(uint64(max(size, 1)))
	r.bad = r.bad || size <= 0
	return n
}

// count reads how many of something follow, of at least a byte each.
func (r *reader) count() int {
	n := r.uvarint()
	if n > uint64(len(r.b)) {
		r.bad, r.b = true, nil
		return 0
	}
	return int(n) //nolint:gosec // no more than bytes
}

func (r *reader) text() string { return string(r.take(r.uvarint())) }
