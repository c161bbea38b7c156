package failures

// throughSteps merges a span with what is the same but for steps between the two: with what
// is around it, with what is in it, and if it is a step, the one with the other.
func (f *Failures) throughSteps(at int) (more int64) {
	n := &f.known.Items[at]
	above := f.above(n)
	if n.kind != step {
		more = f.mergeLayer(n, above)
		above = n
	}
	if above == nil {
		return more
	}
	var seen [maxKnown]bool
	var waiting [maxKnown]int
	waiting[0], seen[at] = at, true
	for next, last := 0, 1; next < last; next++ {
		around := &f.known.Items[waiting[next]]
		for i := range f.known.Items {
			k := &f.known.Items[i]
			switch {
			case seen[i] || !k.isBelow(around):
				continue
			case k.kind == step:
				waiting[last] = i
				last++
			default:
				more += f.mergeLayer(k, above)
			}
			seen[i] = true
		}
	}
	return more
}

// mergeLayer merges a span with the one above it, which may be nil, if it is a layer of that.
func (f *Failures) mergeLayer(n, above *failure) (more int64) {
	if above == nil || n.side&(onWire|served) == 0 || !n.isLayer(above) {
		return 0
	}
	return f.merge(n.group, above.group)
}

// above is what failed around a span, but for steps; nil if nothing is known of it.
func (f *Failures) above(n *failure) *failure {
	for range maxKnown {
		below := n
		if n = f.find(below.isBelow); n == nil || n.kind != step {
			return n
		}
	}
	return nil
}
