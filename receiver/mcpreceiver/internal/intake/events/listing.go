package events

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"

	"github.com/tmaxmax/go-sse"
	"go.uber.org/zap"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/retry"
)

// pagesMax bounds a list of events that never ends.
const pagesMax = 100

// list reads which events there are, page by page. Only what is subscribed to is
// kept, however long the list is.
func (src *source) list(ctx context.Context) error {
	types := map[string][]string{}
	params := map[string]any{}
	for range pagesMax {
		result, err := src.peer.call(ctx, mcpconv.MethodEventsList, maps.Clone(params))
		if err != nil {
			return err
		}
		for _, raw := range result.list("events") {
			if m := parse(raw); src.wants(m.text("name")) {
				types[m.text("name")] = ways(m)
			}
		}
		if params["cursor"] = result.text("nextCursor"); params["cursor"] == "" {
			src.know(types)
			return nil
		}
	}
	src.Logger.Warn("A server's list of events does not end; only its first pages are read", zap.Int("pages", pagesMax))
	src.know(types)
	return nil
}

func (src *source) wants(name string) bool {
	return slices.ContainsFunc(src.all, func(s *subscription) bool { return s.spec.Name == name })
}

// ways are those of delivery that a descriptor offers and that are known.
func ways(descriptor members) (offered []string) {
	for _, raw := range descriptor.list("delivery") {
		var mode string
		if json.Unmarshal(raw, &mode) == nil && slices.Contains(everyWay[:], mode) && !slices.Contains(offered, mode) {
			offered = append(offered, mode)
		}
	}
	return offered
}

// know takes a list; subscriptions whose type is offered in other ways begin anew.
// Other changes, of a description or only of how it is written, end no stream.
func (src *source) know(types map[string][]string) {
	src.mu.Lock()
	was := src.types
	src.types = types
	close(src.fresh)
	src.fresh = make(chan struct{})
	src.mu.Unlock()
	for _, s := range src.all {
		if was != nil && !sameWays(was[s.spec.Name], types[s.spec.Name]) {
			s.news()
		}
	}
}

func sameWays(a, b []string) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(mode string) bool { return !slices.Contains(b, mode) })
}

// modes are the ways of delivery that are wanted and offered, the best first; fresh
// is closed when the list that says so has been read again.
func (src *source) modes(name string) (modes []string, fresh <-chan struct{}) {
	src.mu.Lock()
	fresh = src.fresh // before the list is looked at: no news is missed
	src.mu.Unlock()
	return intersect(src.Delivery, src.offered(name)), fresh
}

// offered are the ways of delivery that the server offers and that can be had.
func (src *source) offered(name string) (offered []string) {
	src.mu.Lock()
	defer src.mu.Unlock()
	for _, mode := range src.types[name] {
		if mode != Webhook || src.Webhook.URL != "" {
			offered = append(offered, mode)
		}
	}
	return offered
}

// changed has the list read again.
func (src *source) changed() { token(src.relist) }

// followList reads the list again when it has changed.
func (src *source) followList(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-src.relist:
		}
		_ = retry.Do(ctx, retry.New(firstRetry, lastRetry), 0, func() error {
			err := src.list(ctx)
			if meaningOf(err, src.speaks()) == lost {
				src.reconnect()
				return nil
			}
			return err
		}) // only ends with ctx, which the caller sees
	}
}

// heardAside takes notifications that come beside a reply.
func (src *source) heardAside(method string, _ members) {
	if method == mcpconv.EventsListChanged {
		src.changed()
	}
}

// listen waits for the list to change, if the server tells of that.
func (src *source) listen(ctx context.Context) {
	src.mu.Lock()
	declared := src.listChanged
	src.mu.Unlock()
	for delays := retry.New(firstRetry, lastRetry); declared && ctx.Err() == nil; {
		err := src.listenOnce(ctx)
		switch meaningOf(err, src.speaks()) {
		case refused, malformed, notFound:
			src.Logger.Info("A server does not tell when its events change", zap.Error(err))
			return
		case lost:
			src.reconnect()
		}
		delays.Wait(ctx, err)
	}
}

// listenOnce reads the server's own messages until the stream ends.
func (src *source) listenOnce(ctx context.Context) error {
	response, err := src.peer.listen(ctx)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if media(response) != "text/event-stream" {
		return &httpError{status: http.StatusNotAcceptable}
	}
	src.changed() // it may have since it was read
	for event, err := range sse.Read(response.Body, &sse.ReadConfig{MaxEventSize: frameBytes}) {
		if err != nil {
			return err
		}
		m := parse(json.RawMessage(event.Data))
		if fault := m.object("error"); fault != nil {
			return faultOf(fault)
		}
		src.heardAside(m.text("method"), nil)
	}
	return errStreamEnded
}

// listen opens the stream of messages that the server sends on its own.
func (p *peer) listen(ctx context.Context) (*http.Response, error) {
	p.mu.Lock()
	stateless, session := p.stateless, p.session
	p.mu.Unlock()
	if stateless {
		response, _, err := p.post(ctx, mcpconv.MethodSubscriptions, map[string]any{
			"notifications": map[string]any{"eventsListChanged": true},
		})
		return response, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.endpoint, http.NoBody)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "text/event-stream")
	request.Header.Set(headerVersion, versionSessions)
	if session != "" {
		request.Header.Set(headerSession, session)
	}
	response, err := p.http.Do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode/100 != 2 {
		defer drop(response)
		return nil, p.failure(response, session != "")
	}
	return response, nil
}

func intersect(preferred, offered []string) (both []string) {
	for _, mode := range preferred {
		if slices.Contains(offered, mode) {
			both = append(both, mode)
		}
	}
	return both
}
