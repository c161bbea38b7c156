package push

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/hook"
	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/registry"
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake"
)

// HooksPath begins the paths of hooks; the name of the agent follows.
const HooksPath = "/v1/hooks/"

// ClaudeCodePath is the path for Claude Code's hooks.
const ClaudeCodePath = HooksPath + mcpconv.ClaudeCode

const (
	// hooksWait bounds how long an agent may have to wait for the answer to a hook.
	hooksWait = 2 * time.Second
	// hooksLate is the time for which a hook may have run before its event arrives. What is
	// older is a mistake of a clock.
	hooksLate = time.Hour
)

// registerHooks adds the endpoints of the agents.
func registerHooks(mux *http.ServeMux, runner *intake.Runner) {
	agents := registry.Hooks()
	names := make([]string, 0, len(agents))
	for name, decoder := range agents {
		names = append(names, name)
		path := HooksPath + name
		mux.Handle(path, &endpoint{runner, path, isJSON, handleHooks(name, decoder, runner.HookKey), hooksWait})
	}
	slices.Sort(names)
	known := "no such agent: known are " + strings.Join(names, ", ")
	mux.HandleFunc(HooksPath, func(w http.ResponseWriter, r *http.Request) {
		runner.Rejected(r.Context(), HooksPath, "unknown agent", 1)
		http.Error(w, known, http.StatusNotFound)
	})
}

// handleHooks handles a body of inputs of one agent's hooks. key are the headers that tell
// its tenant.
func handleHooks(agent string, decoder func() hook.Decoder, key []string) handler {
	return func(ctx context.Context, tx *session.Tx, p *pushed, t *tally) error {
		tx.Tenant = intake.Tenant(p.header, key)
		h := hooks{agent: agent, decoder: decoder(), options: optionsOf(p.Values, p.now), tenant: tx.Tenant}
		h.otherwise = hook.Defaults{Session: cmp.Or(p.Session, p.Query), Event: h.options.event}
		return h.handle(ctx, tx, p, t)
	}
}

// hooks holds what handles one body.
type hooks struct {
	agent     string
	decoder   hook.Decoder
	options   hookOptions
	otherwise hook.Defaults
	tenant    string // begins the names of sessions
	body      hook.Body
}

func (h *hooks) handle(ctx context.Context, tx *session.Tx, p *pushed, t *tally) error {
	var items jsonscan.Items
	items.Reset(p.body)
	for items.Next() {
		if t.items++; t.items > itemsMax {
			return errTooMany
		}
		if err := items.Done(h.body.Decode(items.Cursor(), h.otherwise)); err != nil {
			t.reject(items.Index(), err)
			continue
		}
		if len(h.session()) > idBytes || len(h.body.Tool.ID) > idBytes || len(h.body.Agent.ID) > idBytes {
			t.reject(items.Index(), errLongID)
			continue
		}
		if h.body.Sanitized {
			p.invalid("invalid UTF-8")
		}
		if err := h.apply(ctx, tx, p); err != nil {
			return err
		}
		t.accepted++
	}
	return nil
}

// session is the key of the session that the input is about, "" if it names none.
func (h *hooks) session() string {
	id := cmp.Or(h.body.SessionID(), h.otherwise.Session)
	if id == "" {
		return ""
	}
	return h.tenant + id
}

func (h *hooks) apply(ctx context.Context, tx *session.Tx, p *pushed) error {
	at := cmp.Or(plausible(h.body.When(), p.now), h.options.time, p.now)
	if h.body.Time != "" && h.body.When() == 0 {
		p.invalid("timestamp is not a time")
	}
	env := &event.Envelope{
		Arrival: p.now, Time: at, Session: h.session(), Client: h.agent, Direction: event.FromClient, Push: p.Context,
	}
	e := h.decoder.Event(&h.body)
	h.options.fill(e)
	if err := tx.Apply(ctx, env, e); err != nil || h.options.waited < intake.Patience {
		return err
	}
	return tx.Apply(ctx, env, &event.Missed{From: p.now - int64(h.options.waited), Until: p.now, HooksKept: true})
}

// plausible is the time of an event that arrives now, 0 if it cannot be: it lies in
// the future, or long ago.
func plausible(at, now int64) int64 {
	if at > now || at < now-int64(hooksLate) {
		return 0
	}
	return at
}

// hookOptions hold what whoever calls a hook for an agent knows besides its input.
type hookOptions struct {
	event   string        // of inputs that name none
	time    int64         // when the hook ran, Unix ns; 0 if it is not known
	sources []string      // telemetry that the agent is configured to send
	process string        // id of the agent's process, "" if it is not known
	waited  time.Duration // until the receiver could be reached
	facts   event.Facts
}

// optionsOf reads the options from the query. What is not known is ignored.
func optionsOf(query url.Values, now int64) hookOptions {
	o := hookOptions{event: strings.ToValidUTF8(query.Get("event"), "\uFFFD")}
	if len(o.event) > idBytes {
		o.event = ""
	}
	if at, err := strconv.ParseInt(query.Get("time"), 10, 64); err == nil {
		o.time = plausible(at, now)
	}
	if o.process = query.Get("process"); len(o.process) > processBytes {
		o.process = ""
	}
	if ms, err := strconv.ParseInt(query.Get("waited_ms"), 10, 64); err == nil && ms < hooksLate.Milliseconds() {
		o.waited = time.Duration(ms) * time.Millisecond
	}
	for signal := range strings.SplitSeq(query.Get("otel"), ",") {
		if source := signals[signal]; source != "" && !slices.Contains(o.sources, source) {
			o.sources = append(o.sources, source)
		}
	}
	return o
}

// processBytes bounds the id of a process.
const processBytes = 128

// signals are the sources that an agent's own telemetry is.
var signals = map[string]string{"logs": mcpconv.SourceLogs, "traces": mcpconv.SourceSpans}

// fill adds what the options say of the agent to an event.
func (o *hookOptions) fill(e event.Event) {
	a, ok := e.(interface{ About() *event.SelfReport })
	if !ok || len(o.sources) == 0 && o.process == "" {
		return
	}
	about := a.About()
	o.facts = event.Facts{}
	if about.Facts != nil {
		o.facts = *about.Facts
	}
	o.facts.Sources, o.facts.Process = o.sources, o.process
	about.Facts = &o.facts
}
