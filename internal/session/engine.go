package session

import (
	"context"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/prices"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// Options are the limits and switches of an [Engine]; all but functions must be set.
type Options struct {
	Namespace      string
	IdleTimeout    time.Duration // silence after which a session ends
	Linger         time.Duration // how long late messages reopen nothing
	MaxSessions    int           // open ones, and as many ended ones are remembered
	Remember       time.Duration // how long the facts of ended sessions are kept
	MaxFacts       int           // of one session
	MaxSpans       int           // spans after which a session goes on in a new epoch
	CallTimeout    time.Duration
	MaxOpenCalls   int
	MaxOpenBytes   int64 // payload held for open calls, and as much for sessions
	ProgressEvents int   // span events kept for each call, at least 2
	TextBytes      int   // names and short texts are cut at this length
	KeepPayloads   bool
	KeepEnvelopes  bool
	DropMethods    map[string]bool

	StuckAfter       time.Duration // without progress, after which a call is stuck
	StalledAfter     time.Duration // without a sign of life, after which a host is stalled
	NoticesPerSecond int           // of one session
	DedupeKeys       int           // of reminders not yet shown, kept for each session
	DropUndeclared   bool          // reminders of servers that did not declare them
	InBand           bool          // spans that servers send along are wanted
	MinLevel         uint8         // of log messages, of mcpconv.Levels
	MaxPending       int           // evicted sessions that wait for a pipeline to accept them

	// Traits returns the traits of the agent of that name. It may be nil.
	Traits func(client string) event.Traits

	// Alive reports whether the process with that id runs on this machine. It may be nil.
	Alive func(process string) bool

	// Lost is called when a "session" or "call" is dropped unreported, because it
	// was to be evicted and no pipeline accepted that in time. It must be quick
	// and must not call the Engine.
	Lost func(kind string)
}

func (o *Options) table() store.Options {
	return store.Options{
		IdleTimeout: o.IdleTimeout, CallTimeout: o.CallTimeout, StuckAfter: o.StuckAfter, StalledAfter: o.StalledAfter,
		MaxSessions: o.MaxSessions, Remember: o.Remember, MaxFacts: o.MaxFacts, MaxOpenCalls: o.MaxOpenCalls, MaxOpenBytes: o.MaxOpenBytes, MaxPending: o.MaxPending,
		KeepPayloads: o.KeepPayloads, KeepEnvelopes: o.KeepEnvelopes, MaxProgress: o.ProgressEvents, Lost: o.Lost,
	}
}

// Engine holds all sessions. Its methods are safe for concurrent use.
type Engine struct {
	opt    Options
	table  *store.Table
	agents atomic.Pointer[AgentOptions]
	made   time.Time

	prompts   recentPrompts
	callers   callers
	processes processes
}

// Now is the time of arrival of what arrives now, in Unix ns: when the Engine was
// made, and what has passed since. All timers go by it: it does not jump when the
// machine's clock is set, and on most systems stands still while the machine sleeps,
// so that neither is taken for silence.
func (e *Engine) Now() int64 { return e.made.UnixNano() + int64(time.Since(e.made)) }

// DefaultAgents hold until others are set.
func DefaultAgents() AgentOptions {
	return AgentOptions{JoinWait: 10 * time.Second, StalledAfter: 10 * time.Minute, Windows: WithKnownWindows(nil)}
}

// SetAgents changes how what agents report is joined, from the next transaction on.
func (e *Engine) SetAgents(opt *AgentOptions) {
	e.agents.Store(opt)
	e.table.SetAgentStalled(opt.StalledAfter)
}

// Agents returns the options in force. They must not be changed.
func (e *Engine) Agents() *AgentOptions { return e.agents.Load() }

// New creates an Engine.
func New(opt Options) *Engine {
	e := &Engine{opt: opt, table: store.New(opt.table()), made: time.Now(), callers: newCallers()}
	agents := DefaultAgents()
	agents.StalledAfter = opt.StalledAfter // until SetAgents
	e.SetAgents(&agents)
	return e
}

// Tx is one transaction: it claims each session it touches until it is committed
// or rolled back, and reports what happens to its Sink. It is used by one goroutine
// and ends with Commit or Rollback; after an error that [Yielded] knows it must be
// rolled back and begun again.
type Tx struct {
	core
	rules rules
}

var spareTx = sync.Pool{New: func() any {
	tx := &Tx{}
	tx.rules.connect(&tx.core)
	return tx
}}

// Begin starts a transaction that reports to sink; now is the arrival time in
// Unix ns. again is a transaction that had to yield, or nil: it keeps its age, so
// that it gets its turn.
func (e *Engine) Begin(now int64, sink Sink, again *Tx) *Tx {
	var yielded *store.Tx
	if again != nil {
		yielded = again.store
	}
	tx := spareTx.Get().(*Tx)
	tx.store, tx.opt, tx.agentOpt, tx.sink = e.table.Begin(now, yielded), &e.opt, e.agents.Load(), sink
	tx.prompts, tx.callers, tx.processes = &e.prompts, &e.callers, &e.processes
	return tx
}

// Release gives a transaction back that was committed or rolled back, without
// which it is merely garbage. A nil one is ignored.
func (tx *Tx) Release() {
	if tx == nil {
		return
	}
	tx.store.Release()
	tx.reset()
	spareTx.Put(tx)
}

// Finish ends what cannot outlive the body: the calls of messages that belong to
// neither a session nor a connection. It comes before Commit.
func (tx *Tx) Finish() { tx.rules.ends.finish() }

// Commit makes what happened permanent and releases all sessions.
func (tx *Tx) Commit() { tx.store.Commit() }

// Rollback restores everything and releases all sessions. After Commit it does nothing.
func (tx *Tx) Rollback() { tx.store.Rollback() }

// Wait waits until what the transaction yielded to is free.
func (tx *Tx) Wait(ctx context.Context) error { return tx.store.Wait(ctx) }

// Counts returns the counters by name.
func (tx *Tx) Counts() map[string]int64 { return tx.store.Counts() }

// Knows reports whether there is or was a session of that name.
func (tx *Tx) Knows(session string) bool { return tx.store.Knows(session) }

// Adopt makes the session the parent of the sub-agent with that id.
func (tx *Tx) Adopt(id, session string) { tx.store.Adopt(id, session) }

// ParentOf returns the session of the agent that started the sub-agent with that id,
// "" if it is not known.
func (tx *Tx) ParentOf(id string) string { return tx.store.ParentOf(id) }

// Yielded reports whether err means that the transaction must start again.
func Yielded(err error) bool { return store.Yielded(err) }

// Sizes counts what is open.
func (e *Engine) Sizes() store.Sizes { return e.table.Sizes() }

// State tells unknown, open and ended sessions apart.
type State = store.State

// The states of a session. One that is being opened by a transaction that is
// not committed is unknown.
const (
	Unknown = store.Unknown
	Open    = store.Open
	Ended   = store.Ended
)

// State is the state of the session of that name, as of the last commit.
func (e *Engine) State(name string) State { return e.table.State(name) }

// Wake holds a token when Sweep has work before Next says so.
func (e *Engine) Wake() <-chan struct{} { return e.table.Wake() }

// ReportRows makes transactions report the states of sessions, or stop to: for a sink
// that has no use for them.
func (e *Engine) ReportRows(on bool) { e.table.ReportRows(on) }

// Next is the arrival time at which Sweep will have work, false if nothing is
// open that could expire.
func (e *Engine) Next() (ns int64, ok bool) { return e.table.Next() }

// Sweep reports what does not move, and ends what is due: evicted and idle
// sessions, and calls that are too many or too old. It is false when there was
// nothing to do; otherwise the transaction must be committed, or rolled back, to
// be swept again later.
func (e *Engine) Sweep(sink Sink, now time.Time) (*Tx, bool) {
	tx := e.Begin(now.UnixNano(), sink, nil)
	due, found := tx.store.Due()
	tx.rules.ends.endDue(&due)
	tx.rules.rows.reportRows()
	return tx, found
}

// Drain ends some open sessions, as Sweep does; false when none is left. It is
// for shutdown, when nothing else works on the Engine.
func (e *Engine) Drain(sink Sink, now time.Time) (*Tx, bool) {
	tx := e.Begin(now.UnixNano(), sink, nil)
	evicted, open, found := tx.store.AllOpen()
	tx.rules.ends.endEvicted(evicted)
	for _, s := range open {
		tx.rules.ends.end(s, s.Last, mcpconv.EndShutdown)
	}
	return tx, found
}

// Record is a slot of a storage and what is to be there.
type Record = store.Record

// Changes are records that are not stored yet.
type Changes = store.Changes

// Restored counts the records that came back from a storage.
type Restored = store.Restored

// Deafened notes that nothing could be heard for a while until now, which it returns: no alarm
// comes of that.
func (e *Engine) Deafened() (now int64) {
	now = e.Now()
	e.table.Deafened(now)
	return now
}

// OpenSessions returns the names of open sessions.
func (e *Engine) OpenSessions() []string { return e.table.OpenSessions() }

// Changed returns the number of records to store or delete.
func (e *Engine) Changed() int { return e.table.Changed() }

// CopyAlways makes each commit copy what it changed for the next Changes, whoever
// works on it by then.
func (e *Engine) CopyAlways(on bool) { e.table.CopyAlways(on) }

// Changes are some of what changed since they were asked for the last time, nil
// if there is nothing. Only one goroutine may use Changes.
func (e *Engine) Changes() (*Changes, error) { return e.table.Changes() }

// Restore brings back what the Changes of other Engines had, see
// [store.Table.Restore].
func (e *Engine) Restore(records iter.Seq2[Record, error], away, now int64) (Restored, error) {
	return e.table.Restore(records, away, now)
}

// AgentOptions configure how the reports of agents on themselves are joined. They do
// not change while they are in use.
type AgentOptions struct {
	JoinWait     time.Duration // for which what has ended is held for a better source
	StalledAfter time.Duration // silence after which an agent with hooks is stalled
	Prices       *prices.Table // of calls whose agents report no cost
	Windows      Windows
}
