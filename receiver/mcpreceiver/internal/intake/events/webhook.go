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

// refreshEvery is the interval at which a subscription is renewed that has longer, or never
// expires: a server that forgot it is noticed by that.
const refreshEvery = time.Hour

// webhook is a subscription by webhook. Its methods are for the subscription's
// goroutine, but for what the entry does.
type webhook struct {
	s     *subscription
	entry *entry    // nil before the first
	until time.Time // when the subscription ends unless it is renewed; zero: never
}

// run subscribes and renews that until something fails. Deliveries come to
// the [Endpoint].
func (w *webhook) run(ctx context.Context) error {
	e := w.enter(ctx)
	for {
		again, err := w.subscribe(ctx, e)
		if err != nil {
			what := meaningOf(err, w.s.src.speaks())
			switch {
			case ctx.Err() != nil: // the server may have carried it out
				w.quit(ctx)
			case what != meansTemporary && what != meansSessionLost && what != meansUnreached:
				w.s.src.Registry.end(e)
			}
			return err
		}
		w.s.is(Webhook, stateActive)
		timer := time.NewTimer(again)
		select {
		case <-timer.C:
		case <-e.over:
			timer.Stop()
			w.s.src.Registry.end(e)
			w.forget()
			return errOver
		case <-ctx.Done():
			timer.Stop()
			w.quit(ctx)
			return ctx.Err()
		}
	}
}

// enter is the subscription's entry with the secret to begin with. A secret that
// a server generated is given once: without it the client subscribes again.
func (w *webhook) enter(ctx context.Context) *entry {
	if w.entry == nil {
		w.entry = &entry{s: w.s, over: make(chan struct{})}
	}
	e, configured := w.entry, &w.s.src.Webhook
	switch {
	case configured.Secret != "" && e.newest() != "": // in the first draft the server may have given another
	case configured.Secret != "":
		e.use(configured.Secret, configured.Encoding)
	case w.s.src.speaks() != Draft1:
		e.generate(configured.Encoding)
	case (e.doubtful() || !e.agreed()) && w.s.position.subscriptionID() != "":
		w.unsubscribe(ctx)
		w.s.position.setID("")
	}
	return e
}

// forget makes the next subscription another one.
func (w *webhook) forget() {
	w.entry, w.until = nil, time.Time{}
	w.s.position.setID("")
}

// subscribe subscribes, or renews, and returns when to do so again.
func (w *webhook) subscribe(ctx context.Context, e *entry) (time.Duration, error) {
	g := w.s.src.speaks()
	if g == Draft1 && w.s.position.current() == nil {
		w.baseline(ctx)
	}
	params := w.s.request()
	delivery := map[string]any{"mode": Webhook, "url": w.s.src.Webhook.URL}
	switch {
	case w.s.src.Webhook.Secret != "":
		delivery["secret"] = w.s.src.Webhook.Secret
	case g != Draft1:
		delivery["secret"] = e.newest()
	}
	params["delivery"] = delivery
	if ttl := w.s.src.Webhook.TTL; ttl > 0 && g != Draft1 {
		params["ttlMs"] = ttl.Milliseconds()
	}
	w.s.src.Registry.expect(e, true)
	defer w.s.src.Registry.expect(e, false)
	result, err := w.s.src.peer.Call(ctx, mcpconv.MethodSubscribe, params)
	if err != nil {
		e.doubt(g == Draft1 && w.s.src.Webhook.Secret == "" && !answered(err))
		return 0, err
	}
	w.s.src.heardOf(result, g == Draft1)
	return refreshIn(result), w.granted(ctx, e, result)
}

// answered reports whether a server said that it did not do what was asked. Whether
// it did is not known after any other error.
func answered(err error) bool {
	if web, ok := errors.AsType[*httpError](err); ok { // a gateway's word is none
		return web.Status/100 == 4 || web.Status == http.StatusServiceUnavailable
	}
	_, rpc := errors.AsType[*rpcError](err)
	return rpc || errors.Is(err, errSessionLost)
}

// errNoSecret says that a server does not repeat the secret that it generated: it
// gave it once, and the answer was lost.
var errNoSecret = errors.New("the server does not repeat its secret")

// granted handles what a server answered to a subscription.
func (w *webhook) granted(ctx context.Context, e *entry, result members) error {
	if text := result.Text("secret"); text != "" && (w.s.src.Webhook.Secret == "" || w.s.src.speaks() == Draft1) {
		e.use(text, w.s.src.Webhook.Encoding)
	}
	if !e.agreed() {
		return errNoSecret
	}
	if id := result.Text("id"); id != "" && len(id) <= idBytes {
		store := w.s.position.setID(id)
		w.s.src.Registry.bind(id, e)
		w.s.src.Seen.Put(ctx, store...)
	}
	status := result.Object("deliveryStatus")
	stopped := string(status["active"]) == "false"
	if stopped {
		w.s.src.Logger.Warn("Server had stopped delivering events; resuming",
			zap.String("event", w.s.spec.Name), zap.String("last_error", listed(status.Text("lastError"))))
	}
	if lapsed := w.lease(result); result.Bool("truncated") || (lapsed || stopped) && w.s.position.current() == nil {
		return w.s.gap(ctx, nil, result.Cursor(), Webhook)
	}
	w.s.src.Seen.Put(ctx, w.s.position.move(result.Cursor())...)
	return nil
}

// lease notes until when a server delivers; lapsed if it had stopped meanwhile.
// Without a cursor, which makes up for that, there is a gap then.
func (w *webhook) lease(result members) (lapsed bool) {
	lapsed = !w.until.IsZero() && time.Now().After(w.until)
	w.until = time.Time{}
	if ns, ok := inspectorwire.ParseTime(result.Text("refreshBefore")); ok {
		w.until = time.Unix(0, ns)
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

// baseline asks for a cursor to begin from: the answer to a subscription of the first draft
// has none.
func (w *webhook) baseline(ctx context.Context) {
	for _, mode := range w.s.src.offered(w.s.spec.Name) {
		if mode != Poll {
			continue
		}
		if result, err := w.s.pollOnce(ctx); err == nil {
			w.s.begin(ctx, result.Cursor())
		}
	}
}

// refreshIn is when to renew: at least a third of the grant is left then.
func refreshIn(result members) time.Duration {
	ns, ok := inspectorwire.ParseTime(result.Text("refreshBefore"))
	if !ok {
		return refreshEvery
	}
	return min(max(time.Until(time.Unix(0, ns))/3*2, time.Second), refreshEvery)
}

// quit ends the subscription at shutdown, if that is wanted: otherwise what
// occurs while the collector is away is delivered when it is back. It is ended if
// it may go on in another way.
func (w *webhook) quit(ctx context.Context) {
	if w.s.src.Webhook.Unsubscribe || errors.Is(context.Cause(ctx), errNews) {
		w.unsubscribe(ctx)
	}
}

func (w *webhook) unsubscribe(ctx context.Context) {
	w.until = time.Time{}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastTime)
	defer cancel()
	params := w.s.request()
	delete(params, "cursor")
	delete(params, "maxAgeMs")
	params["delivery"] = map[string]any{"url": w.s.src.Webhook.URL}
	if w.s.src.speaks() == Draft1 {
		delete(params, "name")
		delete(params, "params")
	}
	if _, err := w.s.src.peer.Call(ctx, mcpconv.MethodUnsubscribe, params); err != nil {
		w.s.src.Logger.Info("Cannot unsubscribe; the subscription expires on its own", zap.Error(err))
	}
}
