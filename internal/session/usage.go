package session

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/correlate"
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// inTurn counts something that happened until that time in the turn that it
// belongs to.
func (tx *usage) inTurn(s *store.Session, start, end int64, count func(*store.Turn)) {
	c := turnAt(s, start)
	if c == nil {
		loose := store.Turn{}
		if s.Agent.Unassigned != nil {
			loose = *s.Agent.Unassigned
		}
		count(&loose)
		editAgent(s).Unassigned = &loose
		return
	}
	tx.turns.change(c, func(t *store.Turn) {
		t.Last = max(t.Last, end)
		count(t)
	})
}

// spend counts in its turn what a call of a model that began then used and cost beside what
// it had before, and returns that. What its agent reports takes the place of an estimate.
func (tx *usage) spend(s *store.Session, start int64, before, now *store.Model) (used store.Usage, cost float64) {
	used, first, estimated := now.Usage.Minus(&before.Usage), now.HasCost && !before.HasCost, 0.0
	switch {
	case first:
		if cost = now.Cost; now.Priced {
			estimated = cost
		}
	case before.Priced && now.HasCost && !now.Priced:
		cost, estimated = now.Cost-before.Cost, -before.Cost
	}
	if used == (store.Usage{}) && !first && cost == 0 {
		return used, cost
	}
	tx.inTurn(s, start, start, func(t *store.Turn) {
		use(t, &used)
		t.HasCost = t.HasCost || now.HasCost
		t.Cost, t.Estimated = max(t.Cost+cost, 0), max(t.Estimated+estimated, 0)
	})
	return used, cost
}

// use adds what was used in the turn.
func use(t *store.Turn, u *store.Usage) {
	t.Input, t.Output = store.AddSaturating(t.Input, u.Input), store.AddSaturating(t.Output, u.Output)
	t.CacheRead = store.AddSaturating(t.CacheRead, u.CacheRead)
}

// ofTurns returns the sums that count at the end of the session because no model call told of them.
func ofTurns(s *store.Session) (news event.Amendment) {
	if s.Agent == nil || s.Facts == nil {
		return news
	}
	t, u := s.Facts.Totals(), s.Totals()
	news.Model = s.Agent.Model
	if t.UsageOfTurns {
		news.Used = event.Usage{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Reasoning: u.Reasoning}
	}
	if t.CostOfTurns {
		news.Cost = max(u.Cost-t.CostOfCalls, 0)
		news.Priced = t.Estimated >= t.Cost
	}
	return news
}

// price gives a call that leaves a cost by its tokens, if its agent reported none and will
// not.
func (tx *usage) price(s *store.Session, c *store.Call) {
	if priced := tx.priced(s, c); priced != c.Model {
		tx.spend(s, c.Start, c.Model, priced)
		tx.store.Edit(c)
		c.Model = priced
	}
}

// paid reports whether it is known what a call of a model cost: an estimate is left out if
// its agent is still to say it.
func (tx *usage) paid(s *store.Session, f *correlate.Fact) bool {
	client, _ := s.Names()
	traits, sent := tx.traits(client), s.Agent.Sources|s.Agent.Expected
	follows := traits.CostOnlyInLogs && sent.Has(store.FromLogs) && !f.Sources.Has(correlate.Log) ||
		traits.CostOnlyInHooks && sent.Has(store.FromHooks) && !f.Sources.Has(correlate.Hook)
	return f.HasCost && (!f.Priced || !follows)
}

// priced is the call's model with what its fact cost, if the call's reports do not say it.
func (tx *usage) priced(s *store.Session, c *store.Call) *store.Model {
	f := factOf(s, c.Account)
	if c.Model.HasCost || !tx.paid(s, &f) {
		return c.Model
	}
	priced := *c.Model
	priced.Cost, priced.HasCost, priced.Priced = f.Cost, true, f.Priced
	return &priced
}

// window returns the size of the context of the model in tokens: as its agent says,
// else by the table, which is an estimate; 0 if it is not known.
func (tx *usage) window(s *store.Session, model string) (tokens int64, estimated bool) {
	if s.Agent.Window > 0 {
		return s.Agent.Window, false
	}
	tokens = tx.agentOpt.Windows.Of(model)
	return tokens, tokens > 0
}
