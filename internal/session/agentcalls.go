package session

import (
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// deed is a call of an agent's, as one source reports it.
type deed struct {
	Kind   event.CallKind
	Key    store.CallKey
	Name   string // of the tool or model
	Start  int64  // Unix ns
	Source event.Source
}

// loose reports whether the source gave it no id.
func (d *deed) loose() bool { return strings.HasPrefix(d.Key.ID, store.GeneratedID) }

// newCall is a call that an agent reports: below the sub-agent that makes it, if that
// is open. Its span ID is still missing, and what it holds is not added up.
func (tx *agentCalls) newCall(
	s *store.Session, env *event.Envelope, f *deed, method, subAgent string, input event.JSON,
) *store.Call {
	c := tx.store.NewCall(s)
	c.Kind, c.Source, c.Method, c.Version = f.Kind, f.Source, method, "2.0"
	c.Key = store.CallKey{Connection: intern(s, f.Key.Connection), ID: strings.Clone(f.Key.ID), FromClient: true}
	c.Start, c.RoundStart = f.Start, f.Start
	c.Arrival, c.ProgressArrival, c.LastProgress = env.Arrival, env.Arrival, env.Time
	c.Link = env.Push
	c.Sender, c.Client = intern(s, senderOf(s, env, true)), intern(s, env.Client)
	c.Target, c.SubAgent = strings.Clone(f.Name), tx.text(subAgent)
	c.Report = &store.Report{Reported: store.SourceOf(f.Source)}
	if tx.opt.KeepPayloads {
		c.Input = strings.Clone(string(input))
	}
	tx.calls.place(s, c, tx.context(env, event.TraceMeta{}), "")
	if a := openAgent(s, c.SubAgent); a != nil && c.SubAgent != "" {
		c.Trace, c.Parent = a.Trace, a.Span
	}
	return c
}

// rename gives a call that is not open yet a key beside the one of an open call that
// has its ID.
func rename(c *store.Call, suffix string) {
	c.Key.ID = strings.TrimSuffix(c.Key.ID, `"`) + "/" + suffix + `"`
	c.Bytes = c.CallRecord.Bytes()
}
