package stitch

// linkMode gives the later side of a call a link to the other. Nothing waits, and
// no id changes.
type linkMode struct{ *ledger }

func (m linkMode) observe(batch items) {
	m.prefetchKeys(batch)
	for i := range batch {
		it := &batch[i]
		m.arrive(it)
		if it.is(claims) {
			if c := it.claim(); !m.askClaim(it.value, &c) {
				it.keyPlace = m.addClaim(it.value, c)
			}
		}
		if it.is(serves) {
			m.recordRoot(it)
		}
	}
}

func (m linkMode) place(batch items) (waiting int) {
	for i := range batch {
		it := &batch[i]
		if it.is(claims) {
			m.linkClaim(it)
		}
		if it.is(serves) {
			m.linkRoot(it)
		}
	}
	return 0
}

func (m linkMode) addClaim(v Value, c Claim) Place {
	_, place, _ := m.recordClaim(v, &c)
	return place
}

// onDecision does nothing: no trace is ever decided.
func (linkMode) onDecision(*Query, bool) {}
