package stitch

// onAnswer handles the answer to a query, or that there is none.
func (c *core) onAnswer(q *Query, answered bool) {
	switch q.Kind {
	case PutClaim:
		c.onClaim(q)
	case PutRoot, GetClaim:
		if q.Claim != nil {
			c.mode.addClaim(q.Value, *q.Claim)
		}
	case PutDecision, GetDecision:
		c.mode.onDecision(q, answered)
	case MarkAmbiguous, SetClaim:
	}
}

// onClaim handles the answer to a claim: another replica may have stored one
// before, and may know a root that left without a client.
func (c *core) onClaim(q *Query) {
	mine := q.Mine
	mine.Split, mine.Ambiguous = false, false
	entry, _ := c.ledger.idx.AddKey(q.Value, c.ledger.now)
	if q.Root != nil && q.Root.Trace != q.Span.Trace && !entry.HasRoot {
		entry.Root, entry.HasRoot = *q.Root, true
	}
	switch {
	case q.Claim == nil || q.Claim.SpanRef == mine.SpanRef && !q.Claim.Ambiguous:
		c.mode.addClaim(q.Value, mine)
	case q.Claim.Ambiguous:
		mine.Ambiguous = true
		c.mode.addClaim(q.Value, mine)
	case q.Claim.Trace == mine.Trace:
		c.onOwnTrace(q, entry, mine)
	default:
		c.ledger.ask(Query{Kind: MarkAmbiguous, Value: q.Value})
		c.mode.addClaim(q.Value, *q.Claim)
		c.mode.addClaim(q.Value, mine)
	}
}

// onOwnTrace handles another stored claim of the same trace: the outermost is stored
// in the end, if this replica saw both.
func (c *core) onOwnTrace(q *Query, entry *KeyEntry, mine Claim) {
	if !entry.HasClaim {
		c.mode.addClaim(q.Value, *q.Claim)
	}
	c.mode.addClaim(q.Value, mine)
	entry, _ = c.ledger.idx.AddKey(q.Value, c.ledger.now)
	switch {
	case !entry.Claim.Usable():
		c.ledger.ask(Query{Kind: MarkAmbiguous, Value: q.Value})
	case entry.Claim.SpanRef == mine.SpanRef:
		c.ledger.ask(Query{Kind: SetClaim, Value: q.Value, Span: mine.SpanRef})
	}
}
