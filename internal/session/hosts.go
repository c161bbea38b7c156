package session

import (
	"context"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// heartbeat takes a sign of life that reports how the host is.
func (tx *hosts) heartbeat(ctx context.Context, env *event.Envelope, e *event.Heartbeat) error {
	s, err := tx.heartbeatOf(ctx, env, e)
	if err != nil || s == nil {
		return err
	}
	if repeats(s, env, &e.Notice) {
		tx.store.Count(HostRepeated)
		return nil
	}
	extra := noticeExtra{}
	if s.Open() {
		s.ByTool = e.Status.Tool && (s.ByTool || !s.Beaten)
		s.Beaten = true
		extra.Tokens = total(s, e.Status.TokensUsed, e.Status.ToolCallsTotal)
		filled(s, env.Time, e.Status.TokensUsed, e.Status.TokensLimit, "")
		tx.phases.keepTask(s, e.Status.CurrentTask.Str())
		before := s.Phase
		tx.phases.enter(s, env.Time, e.Status.Phase.Str())
		if s.Phase != before && s.In(mcpconv.PhaseError) {
			tx.failed(s, env.Time, "")
		}
	}
	tx.notices.record(s, env, &e.Notice, &extra)
	return nil
}

// heartbeatOf enters the session of the host, nil if the heartbeat is dropped. A
// notification does not reopen it, the call of a tool does.
func (tx *hosts) heartbeatOf(ctx context.Context, env *event.Envelope, e *event.Heartbeat) (*store.Session, error) {
	dropped := tx.opt.DropMethods[e.Method]
	if !e.Status.Tool {
		a := arrival{effect: late, host: true, status: &e.Status}
		if dropped {
			a.effect = once
		}
		in, err := tx.arrivals.arrive(ctx, env, &e.Contact, a)
		if err != nil || dropped {
			return nil, err
		}
		tx.requests.closeWaitsIfInspected(in.s, env)
		if tx.notices.floods(in.s, env) {
			return nil, nil
		}
		return in.s, nil
	}
	effect := tx.arrivals.effect(e.Method)
	if dropped = dropped || tx.opt.DropMethods[mcpconv.HostHeartbeat]; dropped {
		effect = once
	}
	if agent := tx.store.ParentOf(env.Use); env.Use != "" && agent != "" {
		env.Tapped, env.Session, env.Derived = env.Session, agent, false
	}
	s, err := tx.sessions.enter(ctx, env, effect)
	if err != nil || !s.Open() {
		return nil, err
	}
	learnHost(s, env)
	joined(s, env)
	if err = tx.arrivals.nameHost(ctx, env, s); err != nil {
		return nil, err
	}
	if env.Served {
		learnPeers(s, env, e.Hello)
	}
	tx.sessions.announce(s)
	tx.stalls.resume(s, env.Time)
	if dropped || tx.notices.floods(s, env) {
		return nil, nil
	}
	return s, nil
}

// repeats reports whether the host said the same just before, to another server
// that it is connected to.
func repeats(s *store.Session, env *event.Envelope, n *event.Notice) bool {
	if env.Host == "" {
		return false
	}
	hash := xxhash.Sum64String(n.Method) ^ xxhash.Sum64String(string(n.Params))
	if s.Echoes.Near(hash, env.Time) {
		return true
	}
	s.Echoes = s.Echoes.With(hash, env.Time)
	return false
}

// hostReported takes any other notification of an agent host.
func (tx *hosts) hostReported(s *store.Session, env *event.Envelope, e event.Event, n *event.Notice) {
	if repeats(s, env, n) {
		tx.store.Count(HostRepeated)
		return
	}
	extra := noticeExtra{}
	switch e := e.(type) {
	case *event.AgentStarted:
		if tx.subAgents.spawn(s, env, n, &e.Agent, subject{left: -1}) {
			return
		}
	case *event.AgentEnded:
		tx.subAgents.complete(s, env, n, &e.Agent, nil, subject{left: -1})
		return
	case *event.HostReported:
		switch e.Report.Kind {
		case event.CompactionReport:
			tx.phases.enter(s, env.Time, mcpconv.PhaseCompacting)
			tx.notices.forgetReminders(s)
			filled(s, env.Time, e.Report.TokensAfter, "", "")
		case event.PressureReport:
			extra.Tokens = total(s, e.Report.TokensUsed, e.Report.ToolCallsTotal)
			filled(s, env.Time, e.Report.TokensUsed, e.Report.TokensLimit, e.Report.Percent)
		case event.ErrorReport:
			extra.Outcome = hostError(&e.Report)
			tx.failed(s, env.Time, extra.Outcome.Message)
			retries, _ := e.Report.RetryCount.Int()
			tx.hostFailed(s, store.HostError{
				At: env.Time, Type: e.Report.ErrorType.Str(), Text: extra.Outcome.Message,
				Retrying: e.Report.Retrying.IsTrue(), Retries: max(retries, 0),
			})
			if !e.Report.Retrying.IsTrue() {
				tx.phases.enter(s, env.Time, mcpconv.PhaseError)
			}
		}
	}
	tx.notices.record(s, env, n, &extra)
}

// failed counts an error of the host. What it reports of it and the phase that it is in
// then are one.
func (tx *hosts) failed(s *store.Session, at int64, text string) {
	hash := xxhash.Sum64String(mcpconv.HostError)
	if !s.Echoes.Near(hash, at) {
		tx.countError(s, at, text)
		s.Echoes = s.Echoes.With(hash, at)
	}
}

// hostError returns the outcome of a notice of a host's error.
func hostError(r *event.HostReport) Outcome {
	kind := strings.Clone(jsonscan.Cut(r.ErrorType.Str(), peerBytes))
	o := Outcome{Failed: true, Code: mcpconv.CodeServerError, Type: kind, Message: r.Message.Str()}
	if kind == "" {
		o.Type = mcpconv.TypeOther
	}
	if kind == "api_timeout" {
		o.Code = mcpconv.CodeTimeout
	}
	return o
}

// total keeps the host's totals and is by how much its tokens grew, also beyond
// what it reported in the former epoch. A total that falls, after a compaction,
// spends none; one that falls from epoch to epoch is that of a host that began
// again.
func total(s *store.Session, tokensUsed, toolCalls event.JSON) (spent int64) {
	if used, ok := tokensUsed.Int(); ok && used >= 0 {
		if spent = max(0, used-s.TokensUsed); !s.HasTokens && used < s.TokensUsed {
			spent = used
		}
		s.TokensUsed, s.HasTokens = used, true
	}
	if calls, ok := toolCalls.Int(); ok && calls >= 0 {
		s.ToolCalls, s.HasToolCalls = calls, true
	}
	return spent
}

// filled keeps how full the host's context window is. A percentage alone is a fill too.
func filled(s *store.Session, at int64, used, limit, percent event.JSON) {
	f := store.Fill{At: at}
	var ok, share bool
	f.Used, ok = used.Int()
	f.Limit, _ = limit.Int()
	f.Limit = max(f.Limit, 0)
	if f.Percent, share = percent.Float(); f.Percent < 0 || f.Percent > 100 {
		f.Percent, share = 0, false
	}
	if ok || share {
		s.SetFill(f)
	}
}

// learnHost notes that the session is a host's.
func learnHost(s *store.Session, env *event.Envelope) {
	s.IsHost = true
	s.Derived = s.Derived || env.Derived
}

// backdate moves the start of a session to when its host says it began, at the
// first sight of the host.
func backdate(s *store.Session, env *event.Envelope, status *event.HostStatus) {
	if status == nil || s.IsHost || s.Number != 1 || !s.Open() {
		return
	}
	if seconds, ok := status.ElapsedSeconds.Float(); ok && seconds > 0 && seconds < elapsedMax {
		s.Start = max(min(s.Start, env.Time-int64(seconds*float64(time.Second))), 1)
	}
}
