// Package httpserver runs the HTTP servers of components. It keeps web pages away from
// servers on this machine, and refuses bodies that nest too deep.
package httpserver

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/config/confighttp"
)

// Settings hold what a [Server] needs.
type Settings struct {
	Config    *confighttp.ServerConfig
	Key       string // of the endpoint in the configuration, for errors: receivers::mcp::http::endpoint
	Host      component.Host
	Telemetry component.TelemetrySettings
	// Handler makes the handler for the address that the server listens on.
	Handler func(net.Addr) http.Handler
	Options []confighttp.ToServerOption
	// Outermost wraps the handler with the middlewares of Config around it; may be nil.
	Outermost func(http.Handler) http.Handler
	// Grace bounds how long Shutdown waits for requests in progress; 0 is as long
	// as its context allows.
	Grace time.Duration
}

// Server is the HTTP server of a component. Its methods may be called on a nil
// Server, which listens on nothing.
type Server struct {
	server  *http.Server
	address net.Addr
	grace   time.Duration
	serving sync.WaitGroup
}

// Start listens, so that a port in use is an error of the component's Start, and
// serves from a goroutine. A server that fails later reports a fatal status.
func Start(ctx context.Context, s Settings) (*Server, error) {
	listener, err := Listen(ctx, s.Config, s.Key)
	if err != nil {
		return nil, err
	}
	server, err := s.Config.ToServer(ctx, s.Host.GetExtensions(), s.Telemetry, s.Handler(listener.Addr()), s.Options...)
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	if s.Outermost != nil {
		server.Handler = s.Outermost(server.Handler)
	}
	started := &Server{server: server, address: listener.Addr(), grace: s.Grace}
	started.serve(listener, s.Host)
	return started, nil
}

func (s *Server) serve(listener net.Listener, host component.Host) {
	s.serving.Go(func() {
		if err := s.server.Serve(listener); err != nil && !errors.Is(err, http.ErrServerClosed) {
			componentstatus.ReportStatus(host, componentstatus.NewFatalErrorEvent(err))
		}
	})
}

// URL returns the base URL of a server with that configuration and address, as a person opens it: with localhost
// if that is configured, or if the server listens on all addresses, such as that of a container.
func URL(cfg *confighttp.ServerConfig, address string) string {
	configured, _, _ := net.SplitHostPort(cfg.NetAddr.Endpoint)
	if host, port, err := net.SplitHostPort(address); err == nil {
		if ip := net.ParseIP(host); configured == "localhost" || ip.IsUnspecified() {
			address = net.JoinHostPort("localhost", port)
		}
	}
	if cfg.TLS.HasValue() {
		return "https://" + address
	}
	return "http://" + address
}

// Addr is where the server listens; nil for a nil Server.
func (s *Server) Addr() net.Addr {
	if s == nil {
		return nil
	}
	return s.address
}

// Shutdown accepts no more requests and lets those in progress end, until ctx is
// done or Grace has passed: then it cuts them off. Only the former is an error.
// It may be called twice.
func (s *Server) Shutdown(ctx context.Context) error {
	if s == nil {
		return nil
	}
	waiting, cancel := ctx, context.CancelFunc(func() {})
	if s.grace > 0 {
		waiting, cancel = context.WithTimeout(ctx, s.grace)
	}
	defer cancel()
	err := s.server.Shutdown(waiting)
	if err != nil {
		cut := s.server.Close()
		if waiting.Err() != nil && ctx.Err() == nil {
			err = nil // the grace is over, as is meant
		}
		err = errors.Join(err, cut)
	}
	s.serving.Wait()
	return err
}
