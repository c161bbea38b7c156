package events

import (
	"context"
	"errors"
	"net/http"
	"time"

	"go.uber.org/zap"

	"github.com/otelcol-mcp/otelcol-mcp/internal/inspectorwire"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// refreshEvery is how often a subscription is renewed that has longer, or never
// expires: a server that forgot it is noticed by that.
const refreshEvery = time.Hour

// anchor is the cursor to subscribe from anew in G1, whose deliveries carry the
// position behind each while their order is not known: one that is older than a
// server goes on trying to deliver. What is between comes again.
type anchor struct {
	safe, next *string
	since      time.Time
}

func (a *anchor) set(cursor *string) { *a = anchor{safe: cursor} }

// note takes the cursor of a delivery and gives the one to begin anew from.
func (a *anchor) note(cursor *string, now time.Time) *string {
	switch {
	case cursor == nil:
	case a.safe == nil:
		a.safe = cursor
	case a.next == nil:
		a.next, a.since = cursor, now
	case now.Sub(a.since) >= graceTime:
		a.safe, a.next, a.since = a.next, cursor, now
	}
	return a.safe
}

// webhook subscribes and renews that until something fails. Deliveries come to
// the [Endpoint].
func (s *subscription) webhook(ctx context.Context) error {
	e := s.enter(ctx)
	for {
		again, err := s.subscribe(ctx, e)
		if err != nil {
			what := meaningOf(err, s.src.speaks())
			switch {
			case ctx.Err() != nil: // the server may have carried it out
				s.quit(ctx)
			case what != temporary && what != lost:
				s.src.Registry.end(e)
			}
			return err
		}
		s.is(Webhook, stateActive)
		timer := time.NewTimer(again)
		select {
		case <-timer.C:
		case <-e.over:
			timer.Stop()
			s.src.Registry.end(e)
			s.forget()
			return errOver
		case <-ctx.Done():
			timer.Stop()
			s.quit(ctx)
			return ctx.Err()
		}
	}
}

// enter is the subscription's entry with the secret to begin with. A secret that
// a server made is given once: whoever does not have it subscribes anew.
func (s *subscription) enter(ctx context.Context) *entry {
	s.mu.Lock()
	if s.entry == nil {
		s.entry = &entry{s: s, over: make(chan struct{})}
	}
	e, id := s.entry, s.id
	s.mu.Unlock()
	w := &s.src.Webhook
	switch {
	case w.Secret != "" && e.newest() != "": // in G1 the server may have told another
	case w.Secret != "":
		e.use(w.Secret, w.Encoding)
	case s.src.speaks() != G1:
		e.makeUp(w.Encoding)
	case (e.doubtful() || !e.told()) && id != "":
		s.unsubscribe(ctx)
		s.renew()
	}
	return e
}

// forget makes the next subscription another one.
func (s *subscription) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.entry, s.id, s.until = nil, "", time.Time{}
}

// subscribe subscribes, or renews, and tells when to do so again.
func (s *subscription) subscribe(ctx context.Context, e *entry) (time.Duration, error) {
	g := s.src.speaks()
	if g == G1 && s.at() == nil {
		s.baseline(ctx)
	}
	params := s.request()
	delivery := map[string]any{"mode": Webhook, "url": s.src.Webhook.URL}
	switch {
	case s.src.Webhook.Secret != "":
		delivery["secret"] = s.src.Webhook.Secret
	case g != G1:
		delivery["secret"] = e.newest()
	}
	params["delivery"] = delivery
	if ttl := s.src.Webhook.TTL; ttl > 0 && g != G1 {
		params["ttlMs"] = ttl.Milliseconds()
	}
	s.src.Registry.expect(e, true)
	defer s.src.Registry.expect(e, false)
	result, err := s.src.peer.call(ctx, mcpconv.MethodSubscribe, params)
	if err != nil {
		e.doubt(g == G1 && s.src.Webhook.Secret == "" && !answered(err))
		return 0, err
	}
	s.src.heardOf(result, g == G1)
	return refreshIn(result), s.granted(ctx, e, result)
}

// answered tells whether a server said that it did not do what was asked. Whether
// it did is not known after any other error.
func answered(err error) bool {
	if web, ok := errors.AsType[*httpError](err); ok { // a gateway's word is none
		return web.status/100 == 4 || web.status == http.StatusServiceUnavailable
	}
	_, rpc := errors.AsType[*rpcError](err)
	return rpc || errors.Is(err, errSessionLost)
}

// errNoSecret says that a server does not tell the secret that it made: it did
// once, and the answer was lost.
var errNoSecret = errors.New("the server does not tell the secret again")

// granted takes what a server answered to a subscription.
func (s *subscription) granted(ctx context.Context, e *entry, result members) error {
	if text := result.text("secret"); text != "" && (s.src.Webhook.Secret == "" || s.src.speaks() == G1) {
		e.use(text, s.src.Webhook.Encoding)
	}
	if !e.told() {
		return errNoSecret
	}
	if id := result.text("id"); id != "" && len(id) <= idBytes {
		s.mu.Lock()
		s.id = id
		kept := s.kept()
		s.mu.Unlock()
		s.src.Registry.bind(id, e)
		s.src.Book.put(ctx, kept...)
	}
	status := result.object("deliveryStatus")
	stopped := string(status["active"]) == "false"
	if stopped {
		s.src.Logger.Warn("A server has stopped delivering events, and begins again",
			zap.String("event", s.spec.Name), zap.String("last_error", listed(status.text("lastError"))))
	}
	if lapsed := s.lease(result); result.yes("truncated") || (lapsed || stopped) && s.at() == nil {
		return s.gap(ctx, nil, result.cursor(), Webhook)
	}
	s.src.Book.put(ctx, s.move(result.cursor())...)
	return nil
}

// lease notes until when a server delivers; lapsed if it had stopped meanwhile.
// Without a cursor, which makes up for that, there is a gap then.
func (s *subscription) lease(result members) (lapsed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	lapsed = !s.until.IsZero() && time.Now().After(s.until)
	s.until = time.Time{}
	if ns, ok := inspectorwire.ParseTime(result.text("refreshBefore")); ok {
		s.until = time.Unix(0, ns)
	}
	return lapsed
}

// listed lets through the reasons that the specification lists, and no other text.
func listed(reason string) string {
	switch reason {
	case "connection_refused", "timeout", "tls_error", "http_4xx", "http_5xx", "challenge_failed":
		return reason
	}
	return "other"
}

// baseline asks for a cursor to begin from: the answer to a subscription of G1
// has none.
func (s *subscription) baseline(ctx context.Context) {
	for _, mode := range s.src.offered(s.spec.Name) {
		if mode != Poll {
			continue
		}
		if result, err := s.pollOnce(ctx); err == nil {
			s.begin(ctx, result.cursor())
		}
	}
}

// refreshIn is when to renew: at least a third of the grant is left then.
func refreshIn(result members) time.Duration {
	ns, ok := inspectorwire.ParseTime(result.text("refreshBefore"))
	if !ok {
		return refreshEvery
	}
	return min(max(time.Until(time.Unix(0, ns))/3*2, time.Second), refreshEvery)
}

// quit ends the subscription at shutdown, if that is wanted: otherwise what
// occurs while the collector is away is delivered when it is back. It is ended if
// it may go on in another way.
func (s *subscription) quit(ctx context.Context) {
	if s.src.Webhook.Unsubscribe || errors.Is(context.Cause(ctx), errNews) {
		s.unsubscribe(ctx)
	}
}

func (s *subscription) unsubscribe(ctx context.Context) {
	s.mu.Lock()
	s.until = time.Time{}
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastTime)
	defer cancel()
	params := s.request()
	delete(params, "cursor")
	delete(params, "maxAgeMs")
	params["delivery"] = map[string]any{"url": s.src.Webhook.URL}
	if s.src.speaks() == G1 {
		delete(params, "name")
		delete(params, "params")
	}
	if _, err := s.src.peer.call(ctx, mcpconv.MethodUnsubscribe, params); err != nil {
		s.src.Logger.Info("A server was not reached to end a subscription, which expires by itself", zap.Error(err))
	}
}
