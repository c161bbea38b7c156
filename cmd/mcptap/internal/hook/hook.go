// Package hook passes the input of an agent's hook to a collector. An agent
// waits for some of its hooks, so this is quick, quiet and bounded.
package hook

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/outbox"
)

// Limit bounds the time of a hook in all, with input that does not come. An agent that is
// busy starts a hook long before it writes the input.
const Limit = 2500 * time.Millisecond

// patience bounds the time that an agent waits for the collector; once, for all hooks after it
// find the note.
const patience = 300 * time.Millisecond

// patienceInBackground bounds the wait for each answer in the background.
const patienceInBackground = 5 * time.Second

// maxInput is the limit of the receiver by default. What is longer is not sent.
const maxInput = 20 << 20

// Call is one run of a hook.
type Call struct {
	Agent    string
	Endpoint string // base URL of the collector
	OTLP     string // base URL of its OTLP receiver
	Headers  string // as the function of that name reads them
	Event    string // its name, for input that does not have it
	Home     string
	Process  string // id of the agent's process, "" if it is not known
	State    string // folder for what cannot be delivered, "" for none
	Deliver  bool   // send what waits, in the background, in place of the input
	Now      time.Time
	// Background starts this program again, with Deliver. It may be nil.
	Background func(Call)
	Env        func(string) string
}

// The variables that say where the collector is. The first one is the URL for
// observation records, which mcptap has had from the start.
const (
	endpointEnv      = "MCPTAP_ENDPOINT"
	baseEnv          = "OTELCOL_MCP_URL"
	otlpEnv          = "MCPTAP_OTLP_ENDPOINT"
	authorizationEnv = "MCPTAP_AUTHORIZATION"
)

// Endpoint is the base URL that the environment says, "" if it says none.
func Endpoint(env func(string) string) string {
	if e := env(endpointEnv); e != "" {
		return Base(e)
	}
	return Base(env(baseEnv))
}

// OTLP is the base URL of the OTLP receiver that the environment says, "" if it says
// none.
func OTLP(env func(string) string) string { return Base(env(otlpEnv)) }

// Base is a URL without the path of a way in.
func Base(endpoint string) string {
	endpoint = strings.TrimRight(endpoint, "/")
	return strings.TrimRight(strings.TrimSuffix(endpoint, "/v1/observations"), "/")
}

// Parse reads the arguments of mcptap hook. What it does not know, it ignores: a
// hook never fails.
func Parse(args []string, env func(string) string) (c Call) {
	c.Env = env
	for i := 0; i < len(args); i++ {
		name, value, joined := strings.Cut(args[i], "=")
		switch {
		case name == "--deliver":
			c.Deliver = true
			continue
		case !strings.HasPrefix(name, "-"):
			if c.Agent == "" {
				c.Agent = args[i]
			}
			continue
		case !joined && i+1 < len(args):
			i++
			value = args[i]
		}
		switch name {
		case "--endpoint":
			c.Endpoint = Base(value)
		case "--otlp-endpoint":
			c.OTLP = Base(value)
		case "--headers":
			c.Headers = value
		case "--event":
			c.Event = value
		}
	}
	return c
}

// Send posts the input of the hook. What cannot be delivered in time waits in the outbox,
// and so does all that comes until a delivery in the background has succeeded. Only its
// caller cares for errors; the agent does not.
func (c *Call) Send(ctx context.Context, input io.Reader) error {
	body, err := io.ReadAll(io.LimitReader(input, maxInput+1))
	if err != nil || len(body) > maxInput || len(bytes.TrimSpace(body)) == 0 {
		return err
	}
	item := &outbox.Item{Target: c.target(), Header: c.header(), Body: body}
	if c.State == "" {
		return c.post(ctx, item, patience)
	}
	box := outbox.New(c.State, c.Endpoint)
	note, down := box.Note(time.Now())
	if !down {
		if err = c.post(ctx, item, patience); err == nil {
			if box.HasItems(time.Now()) {
				c.background()
			}
			return nil
		}
		err = box.MarkDown(err.Error(), time.Now())
	}
	if put := box.Put(item, c.Now); put != nil {
		return put
	}
	if !down || note.Due(time.Now()) {
		c.background()
	}
	return err
}

func (c *Call) background() {
	if c.Background != nil {
		c.Background(*c)
	}
}

// SendWaiting delivers what hooks could not, until that is done or the context ends.
func (c *Call) SendWaiting(ctx context.Context) {
	outbox.New(c.State, c.Endpoint).DeliverFor(ctx, func(ctx context.Context, item *outbox.Item) error {
		late := *item
		late.Target = waited(item.Target, time.Now())
		return c.post(ctx, &late, patienceInBackground)
	})
}

// waited is the target with the time for which its request waited, by the clock that gave it
// its time: what else the agent sent meanwhile may be lost.
func waited(target string, now time.Time) string {
	u, err := url.Parse(target)
	if err != nil {
		return target
	}
	ran, err := strconv.ParseInt(u.Query().Get("time"), 10, 64)
	if err != nil {
		return target
	}
	return target + "&waited_ms=" + strconv.FormatInt(now.Sub(time.Unix(0, ran)).Milliseconds(), 10)
}

// post sends a request. An answer that refuses it is none to try again for.
func (c *Call) post(ctx context.Context, item *outbox.Item, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.Endpoint+item.Target, bytes.NewReader(item.Body))
	if err != nil {
		return nil //nolint:nilerr // it is none at any time
	}
	request.Header = item.Header.Clone()
	if value := c.Env(authorizationEnv); value != "" && !strings.ContainsAny(value, "\r\n") {
		request.Header.Set("Authorization", value)
	}
	response, err := client.Do(request)
	if err != nil {
		return reasonOf(err)
	}
	_ = response.Body.Close() // nothing is in it
	switch response.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return fmt.Errorf("HTTP status %d", response.StatusCode)
	}
	return nil
}

// reasonOf is an error without the URL, which the note has.
func reasonOf(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return errors.New("no answer in time")
	}
	return err
}

// header returns the header of a request, without credentials.
func (c *Call) header() http.Header {
	header, _ := Headers(c.Headers)
	header.Set("Content-Type", "application/json")
	for name, variable := range map[string]string{"Traceparent": "TRACEPARENT", "Tracestate": "TRACESTATE"} {
		if value := c.Env(variable); value != "" && !strings.ContainsAny(value, "\r\n") {
			header.Set(name, value)
		}
	}
	return header
}

// target is the path and the query of the request.
func (c *Call) target() string {
	query := url.Values{"time": {strconv.FormatInt(c.Now.UnixNano(), 10)}}
	if c.Event != "" {
		query.Set("event", c.Event)
	}
	if c.Process != "" {
		query.Set("process", c.Process)
	}
	if signals := c.telemetry(); len(signals) > 0 {
		query.Set("otel", strings.Join(signals, ","))
	}
	return "/v1/hooks/" + url.PathEscape(c.Agent) + "?" + strings.ReplaceAll(query.Encode(), "%2C", ",")
}

// client follows no redirect: a way in has none.
var client = &http.Client{
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	Transport: &http.Transport{
		Proxy:             http.ProxyFromEnvironment,
		DialContext:       (&net.Dialer{}).DialContext,
		DisableKeepAlives: true,
		// An answer of ours is short; what sends more is something else.
		MaxResponseHeaderBytes: 64 << 10,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
	},
}
