package correlate

import "encoding/binary"

// plainChunks limits the chunks that Commit leaves as they are; it then packs all but the
// last two, unless that many of its calls have not passed since one was unpacked. They are
// variables for tests.
var plainChunks, packAfter = 8, 64

// pack holds a chunk as it is stored, a fifth of its size, and how its accounts are linked.
type pack struct{ record, links []byte }

// packOld packs chunks if many are not. What is needed of them again is unpacked.
func (s *Set) packOld() {
	if s.rest = max(0, s.rest-1); s.plain <= plainChunks || s.rest > 0 {
		return
	}
	for i := range s.chunks[:len(s.chunks)-min(2, plainChunks)] {
		if s.chunks[i] != nil {
			s.pack(i)
		}
	}
}

func (s *Set) pack(index int) {
	p := pack{record: s.record(index)}
	for i := range s.chunks[index] {
		a := &s.chunks[index][i]
		if !a.live() {
			continue
		}
		seq := (s.base+uint32(index))*chunkSize + uint32(i) //nolint:gosec // both are few
		for _, to := range [...]uint32{a.next, a.up, a.fact, a.mate} {
			p.links = binary.AppendVarint(p.links, int64(to)-int64(seq))
		}
		p.links = append(p.links, a.flags&leading)
		s.uses.put(a.use, use{}, false)
	}
	s.chunks[index], s.packed[index] = nil, p
	s.plain--
}

// unpack returns the accounts of a chunk, and keeps them as they were.
func (s *Set) unpack(chunk uint32) []account {
	index := chunk - s.base
	all, p := make([]account, chunkSize), s.packed[index]
	for i := range all {
		all[i] = noAccount(chunk*chunkSize + uint32(i))
	}
	links := reader{b: p.links}
	link := func(seq uint32) uint32 { return uint32(int64(seq) + links.varint()) } //nolint:gosec // it was one
	err := s.decode(chunk, p.record, func(seq uint32, d *draft) {
		a := &all[seq%chunkSize]
		*a = d.account
		a.use = s.uses.put(0, d.use, d.use != use{})
		a.next, a.up, a.fact, a.mate = link(seq), link(seq), link(seq), link(seq)
		a.flags |= links.byte()
	})
	if err != nil && p.record != nil {
		panic("correlate: " + err.Error())
	}
	s.chunks[index], s.packed[index] = all, pack{}
	s.plain++
	s.rest = min(s.rest+packAfter, 64*packAfter)
	return all
}
