package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/report"
)

func replayCommand() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "replay FILE",
		Short: "Send what mcptap --file wrote",
		Long: `replay sends the observation records of a file to a collector, in order, one session
a request. It waits for a collector that is away or busy; records that are refused for
good are counted, and it then ends with exit code 1. Records keep their times, so that
what is sent twice while its session is open makes the same spans.`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			client, err := o.reportClient()
			if err != nil {
				return err
			}
			f, err := os.Open(args[0])
			if err != nil {
				return err
			}
			defer f.Close()
			ctx, stop := interrupted()
			defer stop()
			sent, err := report.Replay(ctx, f, client, os.Stderr)
			fmt.Fprintf(os.Stderr, "mcptap: %d records sent\n", sent)
			return err
		},
	}
	o.registerEndpoint(cmd.Flags())
	return cmd
}
