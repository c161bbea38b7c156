package session

import (
	"cmp"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/prices"
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

// spend counts the tokens and the cost of a call of a model that began then in its turn,
// as far as they were not counted.
func (tx *usage) spend(s *store.Session, start int64, m *store.Model, used store.Usage, cost bool) {
	if used == (store.Usage{}) && !cost {
		return
	}
	tx.inTurn(s, start, start, func(t *store.Turn) {
		use(t, &used)
		if cost {
			t.Cost, t.HasCost = t.Cost+m.Cost, true
		}
		if cost && m.Priced {
			t.Estimated += m.Cost
		}
	})
}

// replace counts what a call that began then cost, as its agent reports, where an estimate
// was counted.
func (tx *usage) replace(s *store.Session, start int64, estimate, cost float64) {
	tx.inTurn(s, start, start, func(t *store.Turn) {
		t.Cost, t.Estimated = max(t.Cost-estimate+cost, 0), max(t.Estimated-estimate, 0)
	})
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

// spendMore counts the tokens and the cost that are reported of a call of a model beside
// those that before has.
func (tx *usage) spendMore(s *store.Session, start int64, before, now *store.Model) {
	used := now.Usage
	if before != nil {
		used = used.Minus(&before.Usage)
	}
	tx.spend(s, start, now, used, now.HasCost && (before == nil || !before.HasCost))
}

// price gives a call that leaves a cost by its tokens, if its agent reported none and will
// not.
func (tx *usage) price(s *store.Session, c *store.Call) {
	if priced := tx.pricedModel(s, c, c.Sources()); priced != c.Model {
		tx.store.Edit(c)
		c.Model = priced
		tx.spend(s, c.Start, priced, store.Usage{}, true)
	}
}

// costFollows reports whether another source than those, which reported of a call, is still
// to say what it cost.
func (tx *usage) costFollows(s *store.Session, told store.Sources) bool {
	client, _ := s.Names()
	traits, missing := tx.traits(client), (s.Agent.Sources|s.Agent.Expected)&^told
	return traits.CostOnlyInLogs && missing.Has(store.FromLogs) || traits.CostOnlyInHooks && missing.Has(store.FromHooks)
}

// pricedModel is the call's model with what that costs by its tokens, if its agent reported
// no cost and will not, and there is a price.
func (tx *usage) pricedModel(s *store.Session, c *store.Call, told store.Sources) *store.Model {
	m := c.Model
	if m.HasCost || !m.HasUsage || tx.costFollows(s, told) {
		return m
	}
	priced, used := *m, prices.Usage(m.Usage)
	if priced.Cost, priced.HasCost = tx.agentOpt.Prices.Call(cmp.Or(m.Answered, c.Target), &used, c.Start); !priced.HasCost {
		return m
	}
	priced.Priced = true
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
