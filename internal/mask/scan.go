package mask

// An automaton finds all keywords in one pass over a text, whatever their case (Aho-Corasick).
type automaton struct {
	class [256]uint8
	next  []uint32   // state<<classBits | class; hit is set if the state ends keywords
	ends  [][]*entry // by state
}

// An entry is a keyword, and what is done where it is found.
type entry struct {
	keyword string
	exact   bool
	try     []matcher
}

const (
	classBits = 6
	hit       = 1 << 31
)

// add returns the entries with one more matcher for the keyword.
func add(entries []*entry, keyword string, exact bool, m matcher) []*entry {
	for _, e := range entries {
		if e.keyword == keyword && e.exact == exact {
			e.try = append(e.try, m)
			return entries
		}
	}
	return append(entries, &entry{keyword, exact, []matcher{m}})
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func newAutomaton(entries []*entry) *automaton {
	a := &automaton{}
	classes := uint8(0)
	for _, e := range entries {
		for i := range len(e.keyword) {
			if c := lower(e.keyword[i]); a.class[c] == 0 && classes < 1<<classBits-1 {
				classes++
				a.class[c] = classes
			}
		}
	}
	for c := 'A'; c <= 'Z'; c++ {
		a.class[c] = a.class[lower(byte(c))]
	}
	width := uint32(1) << classBits
	goTo := make([]uint32, width) // state numbers; 0 is none, and the root
	ends := map[uint32][]*entry{}
	for _, e := range entries {
		state := uint32(0)
		for i := range len(e.keyword) {
			at := state<<classBits | uint32(a.class[e.keyword[i]])
			if goTo[at] == 0 {
				goTo[at] = uint32(len(goTo)) / width //nolint:gosec // some hundred states
				goTo = append(goTo, make([]uint32, width)...)
			}
			state = goTo[at]
		}
		ends[state] = append(ends[state], e)
	}
	// Breadth first: what fails goes where the longest suffix goes.
	fail := make([]uint32, len(goTo)/int(width))
	var queue []uint32
	for c := range width {
		if s := goTo[c]; s != 0 {
			queue = append(queue, s)
		}
	}
	for len(queue) > 0 {
		state := queue[0]
		queue = queue[1:]
		ends[state] = append(ends[state], ends[fail[state]]...)
		for c := range width {
			at, other := state<<classBits|c, goTo[fail[state]<<classBits|c]
			if child := goTo[at]; child != 0 {
				fail[child] = other
				queue = append(queue, child)
			} else {
				goTo[at] = other
			}
		}
	}
	a.next, a.ends = make([]uint32, len(goTo)), make([][]*entry, len(fail))
	for i, state := range goTo {
		a.next[i] = state << classBits
		if len(ends[state]) > 0 {
			a.next[i] |= hit
			a.ends[state] = ends[state]
		}
	}
	return a
}
