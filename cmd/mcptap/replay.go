package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/report"
)

// exitIncomplete is the exit code of a replay that not all of a file was sent by.
const exitIncomplete = 1

// replaying are the flags of replay.
type replaying struct {
	options
	from int
	wait time.Duration
}

func replayCommand(code *int) *cobra.Command {
	var o replaying
	cmd := &cobra.Command{
		Use:   "replay FILE",
		Short: "Send a file that mcptap --file wrote",
		Long: `replay sends the observation records of a file to a collector, in order, one session
per request. If the collector is unreachable or busy, replay waits for as long as --wait
says. When that time is over, or on Ctrl-C, it prints how many records were accepted and
how to continue with the rest. Records that the collector rejects permanently are
counted. If not every record was accepted, the exit code is 1.

Records keep their times: if you send a file twice while its session is open, you get the
same spans. A session that has ended would start again, so send a file once.`,
		Example: `  mcptap replay out.ndjson
  mcptap replay --endpoint https://collector.example.com/v1/observations --wait 1h out.ndjson
  mcptap replay --from 2001 out.ndjson`,
		Args: exactlyOne("name the file that mcptap --file wrote: mcptap replay FILE, as in mcptap replay out.ndjson",
			"mcptap replay sends one FILE at a time"),
		RunE: func(_ *cobra.Command, args []string) error {
			return o.run(args[0], code)
		},
	}
	o.registerEndpoint(cmd.Flags())
	cmd.Flags().DurationVar(&o.wait, "wait", time.Minute, "how long to wait for a collector that is unreachable or busy")
	cmd.Flags().IntVar(&o.from, "from", 1, "number of the first line to send, to continue with a file")
	return cmd
}

// run sends the file; the code is set once something could be sent.
func (o *replaying) run(path string, code *int) error {
	client, err := o.reportClient()
	if err != nil {
		return err
	}
	f, err := os.Open(path) //nolint:gosec // it is what the user asked for
	if err != nil {
		return err
	}
	defer f.Close()
	ctx, stop := interrupted()
	defer stop()
	*code = exitIncomplete
	if err = o.send(ctx, f, path, client); err == nil {
		*code = 0
	}
	return err
}

func (o *replaying) send(ctx context.Context, f io.Reader, path string, client *report.Client) error {
	done, err := report.Replay(ctx, f, client, report.Replaying{From: o.from, Wait: o.wait, Log: terminal})
	records := "records"
	if done.Sent == 1 {
		records = "record"
	}
	fmt.Fprintf(terminal, "mcptap: %d %s sent\n", done.Sent, records)
	switch {
	case err == nil && done.Sent == 0:
		fmt.Fprintf(terminal, "mcptap: %s holds no records\n", path)
	case done.Next > 0:
		again := "mcptap replay --from " + strconv.Itoa(done.Next) + " " + path
		if ctx.Err() != nil {
			return fmt.Errorf("stopped; for the rest: %s", again)
		}
		return fmt.Errorf("%w; then, for the rest: %s", err, again)
	case err != nil && done.Sent == 0:
		return fmt.Errorf("%w: is %s what mcptap --file wrote? That has a record in each line", err, path)
	}
	return err
}
