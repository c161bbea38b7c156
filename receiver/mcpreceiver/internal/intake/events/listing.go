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
		result, err := src.peer.Call(ctx, mcpconv.MethodEventsList, maps.Clone(params))
		if err != nil {
			return err
		}
		for _, raw := range result.List("events") {
			if m := parseMembers(raw); src.wants(m.Text("name")) {
				types[m.Text("name")] = ways(m)
			}
		}
		if params["cursor"] = result.Text("nextCursor"); params["cursor"] == "" {
			src.know(types)
			return nil
		}
	}
	src.Logger.Warn("Server's list of events is too long; ignoring the remaining pages", zap.Int("pages", pagesMax))
	src.know(types)
	return nil
}

func (src *source) wants(name string) bool {
	return slices.ContainsFunc(src.all, func(s *subscription) bool { return s.spec.Name == name })
}

// ways returns those of delivery that a descriptor offers and that are known.
func ways(descriptor members) (offered []string) {
	for _, raw := range descriptor.List("delivery") {
		var mode string
		if json.Unmarshal(raw, &mode) == nil && slices.Contains(everyWay[:], mode) && !slices.Contains(offered, mode) {
			offered = append(offered, mode)
		}
	}
	return offered
}

// know stores a list; subscriptions whose type is offered in other ways begin again.
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
			if meaningOf(err, src.speaks()) == meansSessionLost {
				src.reconnect()
				return nil
			}
			return err
		}) // only ends with ctx, which the caller sees
	}
}

// heardAside handles notifications that come beside a reply.
func (src *source) heardAside(method string, _ members) {
	if method == mcpconv.EventsListChanged {
		src.changed()
	}
}

// listen waits for the list to change, if the server announces that.
func (src *source) listen(ctx context.Context) {
	src.mu.Lock()
	declared := src.listChanged
	src.mu.Unlock()
	for delays := retry.New(firstRetry, lastRetry); declared && ctx.Err() == nil; {
		err := src.listenOnce(ctx)
		switch meaningOf(err, src.speaks()) {
		case meansRefused, meansForbidden, meansMalformed, meansNotFound:
			src.Logger.Info("Server does not announce changes to its events", zap.Error(err))
			return
		case meansSessionLost:
			src.reconnect()
		}
		delays.Wait(ctx, err)
	}
}

// listenOnce reads the server's own messages until the stream ends.
func (src *source) listenOnce(ctx context.Context) error {
	response, err := src.peer.Listen(ctx)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if mediaType(response) != "text/event-stream" {
		return &httpError{Status: http.StatusNotAcceptable}
	}
	src.changed() // it may have since it was read
	for event, err := range sse.Read(response.Body, &sse.ReadConfig{MaxEventSize: maxFrame}) {
		if err != nil {
			return err
		}
		m := parseMembers(json.RawMessage(event.Data))
		if fault := m.Object("error"); fault != nil {
			return errorOf(fault)
		}
		src.heardAside(m.Text("method"), nil)
	}
	return errStreamEnded
}

func intersect(preferred, offered []string) (both []string) {
	for _, mode := range preferred {
		if slices.Contains(offered, mode) {
			both = append(both, mode)
		}
	}
	return both
}
