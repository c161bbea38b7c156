package session

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// started takes that an agent is about to call a model.
func (tx *agentModels) started(s *store.Session, env *event.Envelope, e *event.ModelStarted, about subject) {
	f := tx.fact(env, &e.SelfReport, &e.Use)
	c := about.call
	switch {
	case c == nil && about.left >= 0:
		tx.joins.aboutDone(s, about.left)
		return
	case c == nil:
		c = tx.open(s, env, &e.Use, f, about)
	}
	tx.joins.reported(c, e.Source, store.Report{})
}

// ended takes that a model answered, or that the call failed.
func (tx *agentModels) ended(s *store.Session, env *event.Envelope, e *event.ModelEnded, about subject) {
	if !s.Open() {
		tx.store.Count(LateReply)
		tx.selfReports.note(s, env, &e.SelfReport, Outcome{})
		return
	}
	f := tx.fact(env, &e.SelfReport, &e.Use)
	r := tx.outcome(env, e)
	c := about.call
	if c == nil {
		if about.left >= 0 {
			c = tx.newModel(s, env, &e.Use, f, about)
			c.Report, c.Model = &r, tx.model(s, &e.Use, e.Status)
			fill(s, c, r.End)
			tx.joins.late(s, &e.SelfReport, about, c)
			return
		}
		r.Late = true
		c = tx.open(s, env, &e.Use, f, about)
		s.Start = min(s.Start, c.Start)
	}
	tx.learn(s, c, tx.model(s, &e.Use, e.Status))
	fill(s, c, r.End)
	tx.joins.ended(s, c, &e.SelfReport, r)
	switch {
	case e.Use.SubAgent != "" || e.Use.Aside:
	case e.Failed && !e.Retries:
		tx.selfReports.enterPhase(s, e.Source, r.End, mcpconv.PhaseError)
	case !e.Failed && s.In(mcpconv.PhaseError): // it was not the last attempt
		tx.selfReports.enterPhase(s, e.Source, r.End, mcpconv.PhaseWorking)
	}
}

// fill keeps how full the context window was at the end of a call of the main thread.
func fill(s *store.Session, c *store.Call, at int64) {
	if m := c.Model; m != nil && m.HasUsage && !m.Aside {
		s.SetFill(store.Fill{Used: m.Usage.Input, Limit: m.Window, Estimated: m.Estimated, At: at})
	}
}

// learn adds what a source reports of the call, and counts what is new.
func (tx *agentModels) learn(s *store.Session, c *store.Call, m *store.Model) {
	before, was := c.AgentBytes(), c.Model
	tx.store.Edit(c)
	c.Model = mergeModel(was, m)
	tx.store.Grow(c, c.AgentBytes()-before)
	if was == nil {
		was = &store.Model{}
	}
	tx.usage.spend(s, c.Start, was, c.Model)
}

// mergeModel adds what another source knows.
func mergeModel(old, m *store.Model) *store.Model {
	if old == nil {
		return m
	}
	next := *old
	next.ID, next.ResponseID = cmp.Or(old.ID, m.ID), cmp.Or(old.ResponseID, m.ResponseID)
	next.Answered, next.Provider = cmp.Or(old.Answered, m.Answered), cmp.Or(old.Provider, m.Provider)
	next.Purpose, next.Finish, next.Output = cmp.Or(old.Purpose, m.Purpose), cmp.Or(old.Finish, m.Finish), cmp.Or(old.Output, m.Output)
	next.FirstToken, next.Attempt = cmp.Or(old.FirstToken, m.FirstToken), cmp.Or(old.Attempt, m.Attempt)
	next.Status, next.Aside = cmp.Or(old.Status, m.Status), old.Aside || m.Aside
	if !old.HasUsage {
		next.Usage, next.HasUsage, next.Window, next.Estimated = m.Usage, m.HasUsage, m.Window, m.Estimated
	} else { // not every source tells them apart
		next.Usage.CacheRead = cmp.Or(old.Usage.CacheRead, m.Usage.CacheRead)
		next.Usage.CacheWrite = cmp.Or(old.Usage.CacheWrite, m.Usage.CacheWrite)
		next.Usage.Reasoning = cmp.Or(old.Usage.Reasoning, m.Usage.Reasoning)
	}
	if !old.HasCost {
		next.Cost, next.HasCost, next.Priced = m.Cost, m.HasCost, m.Priced
	}
	return &next
}

// fact returns the key, name and time by which the call is recognised.
func (tx *agentModels) fact(env *event.Envelope, a *event.SelfReport, u *event.ModelUse) *deed {
	start := began(u.Start, env.Time)
	if a.Native.Valid() {
		start = began(a.Native.Start, env.Time)
	}
	key := store.CallKey{Connection: env.Scope(), FromClient: true}
	if u.ID != "" && len(u.ID) <= idBytes {
		key.ID = `"model/` + u.ID + `"`
	} else {
		key.ID = store.GeneratedID + "model/" + strconv.FormatInt(start, 10) + "/" + u.SubAgent + `"`
	}
	return &deed{Kind: event.ModelCall, Key: key, Name: tx.cut(u.Model), Start: start, Source: a.Source}
}

// open opens a call. Nobody is told of its start: the end comes behind.
func (tx *agentModels) open(s *store.Session, env *event.Envelope, u *event.ModelUse, f *deed, about subject) *store.Call {
	c := tx.newModel(s, env, u, f, about)
	if s.Calls[c.OpenKey()] != nil {
		rename(c, strconv.Itoa(len(s.Calls)))
	}
	tx.calls.open(s, c)
	return c
}

func (tx *agentModels) newModel(s *store.Session, env *event.Envelope, u *event.ModelUse, f *deed, about subject) *store.Call {
	c := tx.agentCalls.newCall(s, env, f, mcpconv.OperationChat, u.SubAgent, u.Input)
	c.Account = about.account
	c.Bytes = c.CallRecord.Bytes()
	return c
}

// model returns the details of the call that the source reports.
func (tx *agentModels) model(s *store.Session, u *event.ModelUse, status int64) *store.Model {
	m := &store.Model{
		ID: tx.text(u.ID), ResponseID: tx.text(u.ResponseID), Answered: tx.text(u.Answered), Provider: tx.text(u.Provider),
		Purpose: tx.text(u.Purpose), Finish: tx.text(u.Finish), Usage: usageOf(&u.Usage), HasUsage: u.HasUsage,
		Cost: u.Cost, HasCost: u.HasCost && u.Cost >= 0 && u.Cost <= costMax, FirstToken: u.FirstToken, Attempt: u.Attempt, Status: status,
		Aside: u.Aside || u.SubAgent != "",
	}
	if tx.opt.KeepPayloads {
		m.Output = strings.Clone(string(u.Output))
	}
	if u.HasUsage && !m.Aside {
		m.Window, m.Estimated = tx.usage.window(s, cmp.Or(u.Answered, u.Model))
	}
	return m
}

// Bounds of what one call may use: beyond is no report to be believed, and must not
// spoil the totals.
const (
	tokensMax = 1 << 40
	costMax   = 1e9
)

// usageOf returns the usage without impossible values.
func usageOf(u *event.Usage) store.Usage {
	bound := func(n int64) int64 { return min(max(n, 0), tokensMax) }
	return store.Usage{
		Input: bound(u.Input), Output: bound(u.Output), CacheRead: bound(u.CacheRead), CacheWrite: bound(u.CacheWrite),
		Reasoning: bound(u.Reasoning),
	}
}

// began is when something began that is reported at that time: then, if the report
// does not say when, or nothing that is possible.
func began(start, at int64) int64 {
	if start <= 0 || start > at || float64(at-start) > elapsedMax*float64(time.Second) {
		return at
	}
	return start
}

// outcome returns the end of the call as a report.
func (tx *agentModels) outcome(env *event.Envelope, e *event.ModelEnded) store.Report {
	r := store.Report{End: cmp.Or(e.Use.End, env.Time)}
	if e.Native.Valid() {
		r.End = e.Native.End
	}
	if !e.Failed {
		return r
	}
	r.Failed, r.Code = true, mcpconv.CodeServerError
	r.Type = strings.Clone(jsonscan.Cut(e.Type, peerBytes))
	if r.Type == "" && e.Status != 0 {
		r.Type = strconv.FormatInt(e.Status, 10)
	}
	r.Type = cmp.Or(r.Type, mcpconv.TypeOther)
	if strings.Contains(strings.ToLower(r.Type), "timeout") {
		r.Code = mcpconv.CodeTimeout
	}
	if tx.opt.KeepPayloads {
		r.Text = strings.Clone(e.Text)
	}
	return r
}
