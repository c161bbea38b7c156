package events

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tmaxmax/go-sse"

	"github.com/otelcol-mcp/otelcol-mcp/internal/httpclient"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/retry"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake"
)

// maxFrame is the size of the largest event of a stream in bytes.
const maxFrame = 4 << 20

// Bounds of what a server may say, and of how long it may take.
const (
	answerBytes = 32 << 20
	answerTime  = 30 * time.Second
	sessionSize = 1024
	silenceMax  = time.Minute // two heartbeats; then a stream is dead
)

// Versions of MCP that are spoken: the last with sessions, and the first without.
const (
	versionSessions  = "2025-11-25"
	versionStateless = "2026-07-28"
)

var errTooLarge = errors.New("the answer is larger than 32 MiB: lower max_events")

// peer is an MCP server, spoken to over Streamable HTTP in the era that it
// understands. Its methods are safe for concurrent use.
type peer struct {
	http     *http.Client
	streams  *http.Client // likewise, for streams that are dead when they are silent
	endpoint string
	version  string                              // of ours
	heard    func(method string, params members) // of notifications beside a reply
	timeout  time.Duration                       // for a reply
	ids      atomic.Int64

	mu        sync.Mutex
	stateless bool
	session   string
	name      string // what the server calls itself
}

// newPeer makes a peer of a client that is made for the endpoint. It follows no
// redirect to another origin, whatever the client would do.
func newPeer(client *http.Client, endpoint, version string, heard func(string, members)) *peer {
	own := *client
	own.CheckRedirect = httpclient.SameOrigin
	own.Timeout = 0 // streams last; calls have a time of their own
	timeout := client.Timeout
	if timeout == 0 {
		timeout = answerTime
	}
	streams := own
	streams.Transport = &intake.IdleTransport{Next: own.Transport, Timeout: silenceMax}
	return &peer{http: &own, streams: &streams, endpoint: endpoint, version: version, heard: heard, timeout: timeout}
}

// ServerName returns what the server calls itself, "" before it is asked.
func (p *peer) ServerName() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.name
}

// Call sends a request and waits for its reply.
func (p *peer) Call(ctx context.Context, method string, params map[string]any) (members, error) {
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	response, id, err := p.post(ctx, method, params)
	if err != nil {
		return nil, err
	}
	defer drop(response)
	return p.Reply(response, id)
}

// Reply is the reply to a request, in either form that an answer may have.
func (p *peer) Reply(response *http.Response, id string) (members, error) {
	if mediaType(response) == "text/event-stream" {
		return p.replyInStream(response, id)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, answerBytes+1))
	switch {
	case err != nil:
		return nil, err
	case len(body) > answerBytes:
		return nil, errTooLarge
	}
	return resultOf(parseMembers(body))
}

// drop closes an answer after what is left of it, so that its connection is kept.
// A stream may stay open behind the reply and is not waited for.
func drop(response *http.Response) {
	if mediaType(response) != "text/event-stream" {
		_, _ = io.CopyN(io.Discard, response.Body, 4096)
	}
	_ = response.Body.Close()
}

func (p *peer) replyInStream(response *http.Response, id string) (members, error) {
	for event, err := range sse.Read(response.Body, &sse.ReadConfig{MaxEventSize: answerBytes}) {
		switch {
		case errors.Is(err, bufio.ErrTooLong):
			return nil, errTooLarge
		case err != nil:
			return nil, err
		}
		m := parseMembers(json.RawMessage(event.Data))
		if method := m.Text("method"); method != "" {
			p.heard(method, m.Object("params"))
		} else if m.Text("id") == id {
			return resultOf(m)
		}
	}
	return nil, errNoReply
}

// post sends a request; the answer has begun well, and is to be read.
func (p *peer) post(ctx context.Context, method string, params map[string]any) (*http.Response, string, error) {
	return p.send(ctx, p.http, method, params)
}

// Stream is post for an answer that fails when it is silent for too long.
func (p *peer) Stream(ctx context.Context, method string, params map[string]any) (*http.Response, string, error) {
	return p.send(ctx, p.streams, method, params)
}

func (p *peer) send(ctx context.Context, by *http.Client, method string, params map[string]any) (*http.Response, string, error) {
	id := p.ids.Add(1)
	request, err := p.request(ctx, method, params, &id)
	if err != nil {
		return nil, "", err
	}
	response, err := by.Do(request)
	if err != nil {
		return nil, "", httpclient.RedactError(err)
	}
	if response.StatusCode/100 == 2 {
		return response, strconv.FormatInt(id, 10), nil
	}
	defer drop(response)
	return nil, "", p.failure(response, request.Header.Get(headerSession) != "")
}

// The headers of Streamable HTTP.
const (
	headerSession = "Mcp-Session-Id"
	headerVersion = "MCP-Protocol-Version"
	headerMethod  = "Mcp-Method"
)

// request makes a request, or with a nil id a notification.
func (p *peer) request(ctx context.Context, method string, params map[string]any, id *int64) (*http.Request, error) {
	p.mu.Lock()
	stateless, session := p.stateless, p.session
	p.mu.Unlock()
	if params == nil {
		params = map[string]any{}
	}
	if stateless {
		params["_meta"] = p.meta()
	}
	message := map[string]any{"jsonrpc": "2.0", "method": method, "params": params}
	if id != nil {
		message["id"] = *id
	}
	body, err := json.Marshal(message)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.endpoint, bytes.NewReader(body))
	if err != nil {
		return nil, httpclient.RedactError(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	switch {
	case stateless:
		request.Header.Set(headerVersion, versionStateless)
		request.Header.Set(headerMethod, method)
	case method != mcpconv.MethodInitialize:
		request.Header.Set(headerVersion, versionSessions)
	}
	if session != "" {
		request.Header.Set(headerSession, session)
	}
	return request, nil
}

// failure reads an answer that is no success.
func (p *peer) failure(response *http.Response, inSession bool) error {
	status := response.StatusCode
	if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
		return retry.After(&httpError{Status: status}, retryAfter(response.Header, time.Now()))
	}
	body, _ := io.ReadAll(io.LimitReader(response.Body, maxFrame))
	var err error = &httpError{Status: status}
	if fault := parseMembers(body).Object("error"); fault != nil {
		err = errorOf(fault)
	}
	if inSession && forgotten(status, err) {
		return errSessionLost
	}
	return err
}

// forgotten reports whether an answer within a session says that there is none. By
// the specification that is 404; many servers say 400, and both come with an error
// of JSON-RPC whose code may be any.
func forgotten(status int, err error) bool {
	_, said := errors.AsType[*rpcError](err)
	switch status {
	case http.StatusNotFound:
		return meaningOf(err, Auto) == meansTemporary
	case http.StatusBadRequest:
		return said && meaningOf(err, Auto) == meansTemporary
	}
	return false
}

// mediaType is the content type of an answer, without parameters.
func mediaType(response *http.Response) string {
	m, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	return m
}
