package events

import (
	"context"
	"errors"
	"net/http"

	"github.com/otelcol-mcp/otelcol-mcp/internal/httpclient"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// The keys of _meta that every request of the stateless era has.
const (
	metaVersion      = "io.modelcontextprotocol/protocolVersion"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	metaClient       = "io.modelcontextprotocol/clientInfo"
	metaServer       = "io.modelcontextprotocol/serverInfo"
)

func (p *peer) us() map[string]any {
	return map[string]any{"name": "otelcol-mcp", "version": p.version}
}

func (p *peer) meta() map[string]any {
	return map[string]any{
		metaVersion: versionStateless, metaClient: p.us(),
		metaCapabilities: map[string]any{"extensions": map[string]any{extensionKey: map[string]any{}}},
	}
}

// Connect finds out which era the server lives in and gives its capabilities. A
// server of the first draft is not asked for what came after it.
func (p *peer) Connect(ctx context.Context, forced Generation) (members, error) {
	if forced != Draft1 {
		capabilities, err := p.discover(ctx)
		if err == nil || !older(err) {
			return capabilities, err
		}
	}
	return p.initialize(ctx)
}

func (p *peer) become(stateless bool, session, name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stateless, p.session = stateless, session
	if name != "" {
		p.name = name
	}
}

func (p *peer) discover(ctx context.Context) (members, error) {
	p.become(true, "", "")
	result, err := p.Call(ctx, mcpconv.MethodDiscover, nil)
	if err != nil {
		return nil, err
	}
	p.become(true, "", result.Object("_meta").Object(metaServer).Text("name"))
	return result.Object("capabilities"), nil
}

// older reports whether an error says that the server does not know discovery: any
// word of it, but not silence, and not a plea for timeout.
func older(err error) bool {
	if web, ok := errors.AsType[*httpError](err); ok {
		return web.Status/100 == 4 && web.Status != http.StatusTooManyRequests && web.Status != http.StatusUnauthorized
	}
	_, said := errors.AsType[*rpcError](err)
	return said || errors.Is(err, errNoReply)
}

func (p *peer) initialize(ctx context.Context) (members, error) {
	p.become(false, "", "")
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	response, id, err := p.post(ctx, mcpconv.MethodInitialize, map[string]any{
		"protocolVersion": versionSessions, "capabilities": map[string]any{}, "clientInfo": p.us(),
	})
	if err != nil {
		return nil, err
	}
	defer drop(response)
	result, err := p.Reply(response, id)
	if err != nil {
		return nil, err
	}
	session := response.Header.Get(headerSession)
	if len(session) > sessionSize {
		session = ""
	}
	p.become(false, session, result.Object("serverInfo").Text("name"))
	return result.Object("capabilities"), p.notify(ctx, mcpconv.NotificationInited)
}

func (p *peer) notify(ctx context.Context, method string) error {
	request, err := p.request(ctx, method, nil, nil)
	if err != nil {
		return err
	}
	response, err := p.http.Do(request)
	if err != nil {
		return httpclient.RedactError(err)
	}
	defer drop(response)
	if response.StatusCode/100 != 2 {
		return p.failure(response, true)
	}
	return nil
}

// Listen opens the stream of messages that the server sends on its own.
func (p *peer) Listen(ctx context.Context) (*http.Response, error) {
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
		return nil, httpclient.RedactError(err)
	}
	request.Header.Set("Accept", "text/event-stream")
	request.Header.Set(headerVersion, versionSessions)
	if session != "" {
		request.Header.Set(headerSession, session)
	}
	response, err := p.http.Do(request)
	if err != nil {
		return nil, httpclient.RedactError(err)
	}
	if response.StatusCode/100 != 2 {
		defer drop(response)
		return nil, p.failure(response, session != "")
	}
	return response, nil
}
