package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/agents"
	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/demo"
	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/hook"
	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/status"
)

func demoCommand() *cobra.Command {
	var c connecting
	opt := demo.Options{Speed: 1}
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Simulate five coding agents for the web UI",
		Long: `demo sends to the collector what five agents would report. They work at the same time:
one with phases, a sub-agent and a question, one that waits for an approval, one that
fails, one with a slow call, and one that reports its model calls over OTLP. It takes half
a minute, and no agent is needed. Each run has sessions of its own.`,
		Example: `  mcptap demo
  mcptap demo --speed 4
  mcptap demo --endpoint http://collector.example.com:4319`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.demonstrate(cmd.Context(), opt, cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.StringVar(&c.endpoint, "endpoint", cmp.Or(hook.Endpoint(os.Getenv), agents.DefaultEndpoint), "URL of the collector (env MCPTAP_ENDPOINT)")
	f.StringVar(&c.otlp, "otlp-endpoint", hook.OTLP(os.Getenv), "URL of the collector for OTLP over HTTP (default: port 4328 of the same host)")
	f.Float64Var(&opt.Speed, "speed", opt.Speed, "how many times as fast as usual")
	return cmd
}

func (c *connecting) demonstrate(ctx context.Context, opt demo.Options, out io.Writer) error {
	var t agents.Target
	if err := c.endpoints(&t); err != nil {
		return err
	}
	if opt.Speed <= 0 {
		return fmt.Errorf("--speed %v is not greater than 0", opt.Speed)
	}
	if !status.Answers(ctx, t) {
		return fmt.Errorf("no collector answers at %s. Start it: %s", t.Endpoint, collectorCommand())
	}
	if t.Endpoint == agents.DefaultEndpoint {
		fmt.Fprintf(out, "Look at %s/_inspector/ui\n", defaultWebUI)
	}
	opt.Endpoint, opt.OTLP, opt.Out = t.Endpoint, t.OTLP, out
	ctx, stop := interrupted()
	defer stop()
	if err := demo.Run(ctx, opt); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}
