package mcpreceiver

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/http"
	"strings"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/config/configmiddleware"
	"go.opentelemetry.io/collector/config/confignet"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/extension/extensionmiddleware"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"google.golang.org/grpc"

	protocol "github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/registry"
	shared "github.com/otelcol-mcp/otelcol-mcp/internal/component"
	"github.com/otelcol-mcp/otelcol-mcp/internal/httpserver"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/body"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/otlp"
)

// newDecoder returns a decoder of all agents' telemetry.
func newDecoder() protocol.Decoder { return registry.New() }

// serveOTLP starts the servers of core's OTLP receiver, with our consumers behind them.
func (r *mcpReceiver) serveOTLP(ctx context.Context, host component.Host, cfg *OTLPConfig) error {
	own, guarded, guard := cfg.Config, guardedHost{Host: host, guard: otlpGuard{bodies: r.runner.Bodies}}, configmiddleware.Config{ID: guardID}
	if own.Protocols.HTTP.HasValue() {
		server := *own.Protocols.HTTP.Get()
		guarded.guard.cfg = &server.ServerConfig
		server.ServerConfig.Middlewares = append([]configmiddleware.Config{guard}, server.ServerConfig.Middlewares...)
		own.Protocols.HTTP = configoptional.Some(server)
	}
	if own.Protocols.GRPC.HasValue() {
		server := *own.Protocols.GRPC.Get()
		server.Middlewares = append([]configmiddleware.Config{guard}, server.Middlewares...)
		own.Protocols.GRPC = configoptional.Some(server)
	}
	factory, set := otlpreceiver.NewFactory(), r.set
	set.ID = component.NewIDWithName(factory.Type(), r.set.ID.String())
	traces, err := factory.CreateTraces(ctx, set, &own, r.otlp)
	if err != nil {
		return err
	}
	if _, err = factory.CreateLogs(ctx, set, &own, r.otlp); err != nil {
		return err
	}
	if metrics := r.otlpMetrics(cfg.Metrics); metrics != nil {
		if _, err = factory.CreateMetrics(ctx, set, &own, metrics); err != nil {
			return err
		}
	}
	r.otlpServers = traces // one instance for all signals
	if err = traces.Start(ctx, guarded); err != nil {
		return fmt.Errorf("receivers::%s::otlp: %w", r.set.ID, err)
	}
	shared.Announcing(r.set.Logger).Info("Send OTLP to " + strings.Join(otlpAddresses(&own.Protocols), ", "))
	return nil
}

// otlpAddresses lists where the OTLP servers listen.
func otlpAddresses(p *otlpreceiver.Protocols) (all []string) {
	if p.HTTP.HasValue() {
		server := &p.HTTP.Get().ServerConfig
		all = append(all, httpserver.URL(server, server.NetAddr.Endpoint))
	}
	if p.GRPC.HasValue() {
		all = append(all, "gRPC "+p.GRPC.Get().NetAddr.Endpoint)
	}
	return all
}

// OTLP returns the consumer behind the OTLP servers.
func (r *mcpReceiver) OTLP() *otlp.Consumer { return r.otlp }

// otlpMetrics returns the consumer of metrics that arrive over OTLP; nil if there is none.
func (r *mcpReceiver) otlpMetrics(mode string) consumer.Metrics {
	if mode == metricsPass {
		return r.runner.Metrics
	}
	return r.otlp
}

// stopOTLP stops the servers. Core's waits for requests over gRPC however long they take;
// what is not answered when ctx is done is left behind.
func (r *mcpReceiver) stopOTLP(ctx context.Context) error {
	servers := r.otlpServers
	if servers == nil {
		return nil
	}
	r.otlpServers = nil
	var stopping sync.WaitGroup
	stopped := make(chan error, 1)
	stopping.Go(func() { stopped <- servers.Shutdown(ctx) })
	if err := await(ctx, &stopping, "an OTLP server"); err != nil {
		return err
	}
	return <-stopped
}

func newOTLP(r *mcpReceiver, decoder func() protocol.Decoder) *otlp.Consumer {
	return otlp.New(otlp.Settings{
		Runner: r.runner, Decoder: decoder, SessionKey: r.cfg.Agents.SessionKey,
		KeepInternal: r.cfg.Agents.InternalSpans == internalKeep,
		Pass:         r.cfg.OTLP.HasValue() && r.cfg.OTLP.Get().Sessions == sessionsPass,
	})
}

// guardID names the middleware in the servers' configuration; no extension of the user
// has this type.
var guardID = component.MustNewID("mcp_otlp_guard")

// guardedHost offers one extension more than the host does.
type guardedHost struct {
	component.Host
	guard otlpGuard
}

// GetExtensions implements component.Host.
func (h guardedHost) GetExtensions() map[component.ID]component.Component {
	all := maps.Clone(h.Host.GetExtensions())
	if all == nil {
		all = map[component.ID]component.Component{}
	}
	all[guardID] = h.guard
	return all
}

// Report implements componentstatus.Reporter.
func (h guardedHost) Report(e *componentstatus.Event) { componentstatus.ReportStatus(h.Host, e) }

// otlpGuard is a middleware that keeps web pages, messages that are nested too deeply, and
// bodies that find no room in the budget, away from OTLP servers.
type otlpGuard struct {
	cfg    *confighttp.ServerConfig // nil without a server for HTTP
	bodies *body.Budget
}

var (
	_ extensionmiddleware.HTTPServer = otlpGuard{}
	_ extensionmiddleware.GRPCServer = otlpGuard{}
)

// Start implements component.Component.
func (otlpGuard) Start(context.Context, component.Host) error { return nil }

// Shutdown implements component.Component.
func (otlpGuard) Shutdown(context.Context) error { return nil }

// GetHTTPHandler implements extensionmiddleware.HTTPServer.
func (g otlpGuard) GetHTTPHandler(context.Context) (extensionmiddleware.WrapHTTPHandlerFunc, error) {
	var addr net.Addr // that the server will listen on; nil for a socket
	if g.cfg.NetAddr.Transport != confignet.TransportTypeUnix {
		tcp, err := net.ResolveTCPAddr("tcp", g.cfg.NetAddr.Endpoint)
		if err != nil {
			return nil, err
		}
		addr = tcp
	}
	guard := httpserver.NewGuard(addr, g.cfg)
	return func(_ context.Context, next http.Handler) (http.Handler, error) {
		return guard.Wrap(g.bodies.Charge(httpserver.LimitDepth(next))), nil
	}, nil
}

// GetGRPCServerOptions implements extensionmiddleware.GRPCServer.
func (otlpGuard) GetGRPCServerOptions(context.Context) ([]grpc.ServerOption, error) {
	return []grpc.ServerOption{httpserver.LimitDepthGRPC()}, nil
}
