package mcpreceiver

import (
	"context"
	"net"
	"net/http"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.uber.org/zap"

	shared "github.com/otelcol-mcp/otelcol-mcp/internal/component"
	"github.com/otelcol-mcp/otelcol-mcp/internal/httpserver"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/events"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/mcpserver"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/push"
)

// serve starts the server that messages are pushed to, and the MCP server on it.
func (r *mcpReceiver) serve(ctx context.Context, host component.Host, cfg *confighttp.ServerConfig) error {
	mux := http.NewServeMux()
	r.runner.BodyBytes = cfg.MaxRequestBodySize
	push.Register(mux, r.runner)
	mcpserver.Register(mux, r.runner, mcpServerOptions(r.set, r.cfg))
	server, err := r.listen(ctx, host, cfg, "http::endpoint", mux, func(addr net.Addr) http.Handler {
		return httpserver.NewGuard(addr, cfg).Wrap(mux)
	})
	if err != nil {
		return err
	}
	r.server = server
	shared.Announcing(r.set.Logger).Info("Send hooks, JSON-RPC and MCP (/mcp) to " + httpserver.URL(cfg, server.Addr().String()) +
		", or connect coding agents with: mcptap connect --all")
	return nil
}

// listen starts one of the receiver's servers, of which key is the endpoint's.
func (r *mcpReceiver) listen(
	ctx context.Context, host component.Host, cfg *confighttp.ServerConfig, key string,
	mux *http.ServeMux, handler func(net.Addr) http.Handler,
) (*httpserver.Server, error) {
	return httpserver.Start(ctx, httpserver.Settings{
		Config: cfg, Key: "receivers::" + r.set.ID.String() + "::" + key, Host: host, Telemetry: r.set.TelemetrySettings,
		Handler: handler, Options: r.runner.Bodies.Decoders(cfg), Outermost: r.noteMiddleware(cfg, mux),
	})
}

// serveWebhooks starts the server that events are delivered to. Signatures
// authenticate the senders, so that the Host that a proxy passes on does not
// matter; web pages are kept out all the same.
func (r *mcpReceiver) serveWebhooks(ctx context.Context, host component.Host, endpoint *events.Endpoint) error {
	cfg := r.cfg.Webhooks.HTTP.Get()
	mux := http.NewServeMux()
	mux.Handle(events.WebhooksPath, endpoint)
	server, err := r.listen(ctx, host, cfg, "webhooks::http::endpoint", mux, func(net.Addr) http.Handler {
		return httpserver.Guard{Origins: httpserver.Origins(cfg)}.Wrap(mux)
	})
	if err != nil {
		return err
	}
	r.webhooks = server
	r.set.Logger.Info("Listening for webhook deliveries", zap.Stringer("endpoint", server.Addr()))
	return nil
}
