package correlate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// oracle computes the facts of a set of reports from the whole set, as the package comment
// says, and returns them as text. It keeps nothing and takes no short cut.
func oracle(reports []Report) (facts, totals string) {
	s := &Set{scratch: &scratch{}} // for names, groups and the fields of a fact only
	type key struct {
		kind   Kind
		source Source
		id     ID
	}
	accounts := map[key]*draft{}
	for i := range reports {
		d, ok := newDraft(&reports[i])
		if !ok {
			continue
		}
		d.name = s.names.intern(d.label)
		k := key{d.kind, d.source, d.ids[0]}
		if old := accounts[k]; old != nil {
			old.merge(&d, &s.names)
		} else {
			accounts[k] = &d
		}
	}
	var all []*draft
	for _, d := range accounts {
		all = append(all, d)
	}
	slices.SortFunc(all, func(a, b *draft) int { return cmp.Or(cmp.Compare(a.kind, b.kind), a.before(&b.account)) })
	// accounts by number, each in a ring with what ids link
	for i, d := range all {
		d.group = s.groupOf(d)
		s.grow()
		s.write(uint32(i), d)
	}
	comp := make([]int, len(all))
	for i := range comp {
		comp[i] = i
	}
	for changed := true; changed; {
		changed = false
		for i := range all {
			for j := range all {
				if comp[i] > comp[j] && all[i].kind == all[j].kind && shareID(all[i], all[j]) {
					comp[i], changed = comp[j], true
				}
			}
		}
	}
	var things [][]uint32
	for c := range all {
		var left []thing
		var of [][]uint32
		for i := range all { // in the order of source, start and id
			if comp[i] != c {
				continue
			}
			t := thingOf(uint32(i), s.at(uint32(i)))
			into := -1
			for k := range left {
				if len(of[k]) == 0 || !left[k].shares(&t) || !left[k].agrees(&t) {
					continue
				}
				if into < 0 {
					left[k].merge(&t)
					of[k] = append(of[k], uint32(i))
					into, t = k, left[k]
					continue
				}
				left[into].merge(&left[k])
				t = left[into]
				of[into], of[k] = append(of[into], of[k]...), nil
			}
			if into < 0 {
				left, of = append(left, t), append(of, []uint32{uint32(i)})
			}
		}
		for _, members := range of {
			if len(members) > 0 {
				slices.Sort(members)
				things = append(things, members)
			}
		}
	}
	items := map[uint32][]item{}
	members := map[uint32][]uint32{}
	for _, m := range things {
		for i, seq := range m {
			s.follow(seq, m[0])
			s.at(seq).next = m[(i+1)%len(m)]
		}
		g := s.at(m[0]).group
		items[g] = append(items[g], s.itemOf(m[0]))
		members[m[0]] = m
	}
	for g, all := range items {
		slices.SortFunc(all, func(a, b item) int { return s.compare(a.root, b.root) })
		var found []item
		run, from := uint32(0), 0
		for i, it := range all {
			it.at = i
			found = slices.DeleteFunc(found, func(f item) bool { return f.at < i-lookback })
			if run++; !slices.ContainsFunc(found, func(f item) bool { return !f.ended(it.start, s.groups[g].kind.reach()) }) {
				run = 1
			}
			if s.settles(spot{it.root, min(run, settleAfter)}) {
				from = i
			}
			if at := s.choose(s.groups[g].kind, found, &it, from); at >= 0 {
				root := found[at].root
				found[at].join(&it)
				members[root] = append(members[root], members[it.root]...)
				delete(members, it.root)
				continue
			}
			found = append(found, it)
		}
	}
	for _, m := range members {
		slices.Sort(m)
		for i, seq := range m {
			s.at(seq).fact, s.at(seq).mate = m[0], m[(i+1)%len(m)]
		}
		s.count(m[0])
	}
	for i := range all {
		s.index = map[uint64]uint32{}
		_ = i
	}
	for i := range all {
		s.indexIDs(uint32(i))
	}
	return s.dump(), fmt.Sprintf("%+v", s.Totals())
}

func shareID(a, b *draft) bool {
	for _, id := range a.ids {
		if id != 0 && b.has(id) {
			return true
		}
	}
	return false
}

// dump returns the facts as text, in an order that does not depend on that of the reports.
func (s *Set) dump() string {
	var lines []string
	s.All(func(f *Fact) {
		var mates []string
		for seq := uint32(f.ID); ; {
			a := s.at(seq)
			mates = append(mates, fmt.Sprintf("%d/%d/%x", a.source, a.stages, a.ids))
			if seq = a.mate; seq == uint32(f.ID) {
				break
			}
		}
		slices.Sort(mates)
		one := *f
		one.ID = 0
		lines = append(lines, fmt.Sprintf("%+v %v", one, mates))
	})
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
