package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/proxy"
)

func httpCommand() *cobra.Command {
	var o options
	var listen, target string
	cmd := &cobra.Command{
		Use:   "http --target URL",
		Short: "Trace an MCP server that clients reach over HTTP",
		Long: `http is a reverse proxy for MCP over Streamable HTTP and for the older HTTP+SSE
transport. Give clients its address instead of the server's, with the same path. A
session is an Mcp-Session-Id. Exchanges without one have a session for each client, as
far as programs, addresses, connections and the ids of requests tell clients apart.`,
		Example: `  mcptap http --listen localhost:9100 --target http://localhost:3001/mcp
  mcptap http --listen localhost:9100 --target https://mcp.example.com/sse`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return serveHTTP(&o, listen, target) },
	}
	o.register(cmd.Flags())
	o.registerPeers(cmd.Flags())
	cmd.Flags().StringVar(&listen, "listen", "localhost:9100", "address to listen on for clients")
	cmd.Flags().StringVar(&target, "target", "", "URL of the server")
	return cmd
}

func serveHTTP(o *options, listen, target string) error {
	if target == "" {
		return errors.New("name the server: mcptap http --target http://localhost:3001/mcp")
	}
	url, err := proxy.ParseTarget(target)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		return fmt.Errorf("--listen: %w", err)
	}
	out, err := o.report(terminal)
	if err != nil {
		return err
	}
	defer out.close()
	around := o.around()
	around.Host, around.Process = "", "" // the process that starts a proxy is not the one that sends requests through it
	if around.AgentSession == os.Getenv(agentSessionEnv) {
		around.AgentSession = "" // likewise
	}
	address, _ := listener.Addr().(*net.TCPAddr)
	p := proxy.New(proxy.Options{
		Target: url, Around: around, Named: o.session != "", MaxMessage: int(o.maxMessage), Propagate: o.propagate, Namespace: o.namespace,
	}, out, address.IP.IsLoopback(), terminal)
	fmt.Fprintf(terminal, "mcptap: give clients http://%s%s in place of %s\n", listener.Addr(), url.EscapedPath(), target)
	defer p.Close()
	return serveUntilStopped(&http.Server{Handler: p, ConnContext: proxy.ConnContext, ReadHeaderTimeout: 30 * time.Second, IdleTimeout: 5 * time.Minute}, listener)
}

// grace is the time that exchanges have to end after a signal.
const grace = time.Second

func serveUntilStopped(server *http.Server, listener net.Listener) error {
	ctx, stop := interrupted()
	defer stop()
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	wait, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	if server.Shutdown(wait) != nil {
		_ = server.Close()
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
