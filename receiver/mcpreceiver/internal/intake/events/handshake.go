package events

import (
	"context"
	"errors"
	"net/http"

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
		metaCapabilities: map[string]any{"extensions": map[string]any{extension: map[string]any{}}},
	}
}

// connect finds out which era the server lives in and gives its capabilities. A
// server of G1 is not asked for what came after it.
func (p *peer) connect(ctx context.Context, forced Generation) (members, error) {
	if forced != G1 {
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
	result, err := p.call(ctx, mcpconv.MethodDiscover, nil)
	if err != nil {
		return nil, err
	}
	p.become(true, "", result.object("_meta").object(metaServer).text("name"))
	return result.object("capabilities"), nil
}

// older tells whether an error says that the server does not know discovery: any
// word of it, but not silence, and not a plea for patience.
func older(err error) bool {
	if web, ok := errors.AsType[*httpError](err); ok {
		return web.status/100 == 4 && web.status != http.StatusTooManyRequests && web.status != http.StatusUnauthorized
	}
	_, said := errors.AsType[*rpcError](err)
	return said || errors.Is(err, errNoAnswer)
}

func (p *peer) initialize(ctx context.Context) (members, error) {
	p.become(false, "", "")
	ctx, cancel := context.WithTimeout(ctx, p.patience)
	defer cancel()
	response, id, err := p.post(ctx, mcpconv.MethodInitialize, map[string]any{
		"protocolVersion": versionSessions, "capabilities": map[string]any{}, "clientInfo": p.us(),
	})
	if err != nil {
		return nil, err
	}
	defer drop(response)
	result, err := p.read(response, id)
	if err != nil {
		return nil, err
	}
	session := response.Header.Get(headerSession)
	if len(session) > sessionSize {
		session = ""
	}
	p.become(false, session, result.object("serverInfo").text("name"))
	return result.object("capabilities"), p.notify(ctx, mcpconv.NotificationInited)
}

func (p *peer) notify(ctx context.Context, method string) error {
	request, err := p.request(ctx, method, nil, nil)
	if err != nil {
		return err
	}
	response, err := p.http.Do(request)
	if err != nil {
		return err
	}
	defer drop(response)
	if response.StatusCode/100 != 2 {
		return p.failure(response, true)
	}
	return nil
}
