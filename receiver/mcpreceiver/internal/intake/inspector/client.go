// Package inspector reads the event stream of an mcp-agent Inspector over one lasting
// connection: the reference server keeps every client that connected, so a client that
// reconnects often would fill its memory.
package inspector

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/tmaxmax/go-sse"
	"go.uber.org/zap"

	"github.com/otelcol-mcp/otelcol-mcp/internal/httpclient"
	"github.com/otelcol-mcp/otelcol-mcp/internal/inspectorwire"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/inspector"
	"github.com/otelcol-mcp/otelcol-mcp/internal/retry"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake"
)

// Label names this way in, in the component's own metrics.
const Label = "inspector"

// Timing of a [Client]. The server says something every 30 s at least.
const (
	silenceMax   = 90 * time.Second
	firstRetry   = 250 * time.Millisecond
	lastRetry    = 5 * time.Second
	deliveryMax  = time.Minute // for which an event that is refused is kept
	eventBytes   = 20 << 20    // of a frame; what is behind is left out
	idBytes      = 1024        // of a session's id: what is kept of each
	openMax      = 10_000      // sessions whose end is looked for after a gap
	refusedAgain = 100 * time.Millisecond
)

// Client reads one endpoint. Its methods are for one goroutine.
type Client struct {
	runner *intake.Runner
	logger *zap.Logger
	http   *http.Client
	base   string // of the endpoint's neighbours, without a slash at the end
	events string // the endpoint itself
	fetch  bool
	status func(error) // reported when the connection is lost, nil when it is there

	ctx          context.Context //nolint:containedctx // of Run: the stream's callbacks get none
	decoder      inspector.Decoder
	fresh        bool  // nothing was read on this connection yet
	own          bool  // the stream is this process's own
	last         int64 // id of the last event
	connected    bool
	lossReported bool             // nothing was received since the error was reported
	gap          bool             // events are missing, and the list was not asked for since
	listed       time.Time        // when the list of sessions was asked for
	replayed     map[string]int64 // starts that this connection's list of sessions reported
	open         map[string]int   // levels of sessions that were started and not finished
	traces       *fetcher
}

// Settings hold what a [Client] needs.
type Settings struct {
	Runner      *intake.Runner
	Logger      *zap.Logger
	HTTP        *http.Client // without a timeout of its own
	Endpoint    string       // http://localhost:7800/_inspector/events
	FetchTraces bool
	Status      func(error)
}

// New creates a client that reads nothing before Run.
func New(s Settings) *Client {
	lasting := *s.HTTP
	lasting.Transport = &intake.IdleTransport{Next: s.HTTP.Transport, Timeout: silenceMax}
	c := &Client{
		runner: s.Runner, logger: s.Logger, http: &lasting, base: neighbours(s.Endpoint), events: s.Endpoint,
		fetch: s.FetchTraces, status: s.Status, open: map[string]int{},
	}
	c.traces = &fetcher{http: s.HTTP, base: c.base, runner: s.Runner, logger: s.Logger}
	return c
}

// Run reads until ctx is done. It connects again with growing delays, at most
// 5 s or what the server asks for.
func (c *Client) Run(ctx context.Context) {
	c.ctx = ctx
	client := &sse.Client{
		HTTPClient: c.http, ResponseValidator: c.accept, OnRetry: c.lost,
		Backoff: sse.Backoff{InitialInterval: firstRetry, Multiplier: 2, MaxInterval: lastRetry, MaxRetries: 0},
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.events, http.NoBody)
	if err != nil {
		c.status(httpclient.RedactError(err))
		return
	}
	connection := client.NewConnection(request)
	connection.Buffer(nil, eventBytes+eventBytes/10) // more than a frame may have
	connection.SubscribeToAll(func(e sse.Event) { c.handle(e.Data) })
	// go-sse gives up at an answer that is not accepted. A server that is just
	// starting answers anything, as does a proxy in front of it.
	for delays := retry.New(firstRetry, lastRetry); ; {
		c.connected = false
		err = connection.Connect()
		if ctx.Err() != nil {
			break
		}
		if c.connected {
			delays.Reset()
		}
		delay := delays.Next(err)
		c.lost(err, delay)
		retry.Sleep(ctx, delay)
	}
	c.traces.stop()
}

// neighbours is where the other endpoints of the server are.
func neighbours(events string) string {
	path, _, _ := strings.Cut(events, "?")
	return strings.TrimSuffix(strings.TrimRight(path, "/"), "/events")
}

// accept looks at a new connection before anything is read from it.
func (c *Client) accept(r *http.Response) error {
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if r.StatusCode != http.StatusOK || media != "text/event-stream" {
		return fmt.Errorf("%s answered %s, %q instead of an event stream", httpclient.RedactURL(c.events), r.Status, media)
	}
	r.Body = newFrames(r.Body, eventBytes)
	c.fresh, c.own, c.replayed = true, false, map[string]int64{}
	c.gap, c.listed = true, time.Time{}
	if !c.connected {
		c.connected, c.lossReported = true, false
		c.status(nil)
	}
	return nil
}

var errSilent = errors.New("lost the connection to the Inspector")

func (c *Client) lost(err error, again time.Duration) {
	if err == nil {
		err = errSilent
	}
	c.connected = false
	if !c.lossReported {
		c.lossReported = true
		c.status(err)
	}
	c.logger.Debug("Reconnecting to the Inspector", zap.Duration("in", again), zap.Error(err))
}

// handle reads one event of the stream.
func (c *Client) handle(data string) {
	if c.ctx.Err() != nil {
		return // reading has stopped, but for what the connection had in its buffer
	}
	var e inspectorwire.Event
	if err := inspectorwire.DecodeText(data, &e); err != nil || len(e.SessionID) > idBytes {
		c.runner.Rejected(c.ctx, Label, "malformed", 1)
		return
	}
	quiet := e.Type == inspectorwire.TypeHeartbeat && e.SessionID == ""
	if e.Type == inspectorwire.TypeConnected {
		c.own = e.Writer() == inspectorwire.ProcessWriter()
	}
	if c.gap && !c.own && (quiet || time.Since(c.listed) > listEvery) {
		c.reconcile()
	}
	switch {
	case c.own, quiet, e.Type == inspectorwire.TypeConnected:
	case c.seen(&e):
		c.runner.Invalid(c.ctx, Label, "repeated", 1)
	case c.wasReplayed(&e):
	default:
		c.follow(&e)
	}
}

// wasReplayed reports whether a start was accepted from the list of sessions already:
// it happened between the connection, whose stream has it too, and the list.
func (c *Client) wasReplayed(e *inspectorwire.Event) bool {
	if e.Type != inspectorwire.TypeSessionStarted || e.StartTime == 0 {
		return false
	}
	start, ok := c.replayed[e.SessionID]
	delete(c.replayed, e.SessionID)
	return ok && start == e.StartTime
}

// seen reports whether the event came before. Ids grow by one while a process
// runs, by more when some were missed; smaller ones on a new connection are
// another process's.
func (c *Client) seen(e *inspectorwire.Event) bool {
	fresh := c.fresh
	c.fresh = false
	if e.EventID <= 0 {
		return false
	}
	if e.EventID <= c.last && !fresh {
		return true
	}
	// The server leaves out what is read too slowly, the client what is too long.
	c.gap = c.gap || !fresh && e.EventID > c.last+1
	c.last = e.EventID
	return false
}
