// Command demo plays agents for somebody who looks at the page: some that are
// scripted, and a real MCP server behind mcptap when there is Node.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"sync"
	"time"
)

func main() {
	if err := run(); err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	endpoint := flag.String("endpoint", "http://localhost:4319", "where the mcp receiver listens")
	otlp := flag.String("otlp", "http://localhost:4328", "where the collector takes OTLP over HTTP; empty for none")
	page := flag.String("page", "http://localhost:7810/_inspector/ui", "the page, to be named")
	tap := flag.String("mcptap", "", "path of mcptap, for a session with a real server")
	server := flag.String("server", "", "script of server-everything, which node runs")
	speed := flag.Float64("speed", 1, "how many times as fast as usual")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	d := &demo{endpoint: *endpoint, otlp: *otlp, speed: *speed, run: time.Now().Format("150405")}
	fmt.Printf("Look at %s\n", *page)
	return d.play(ctx, *tap, *server)
}

// demo sends what agents would.
type demo struct {
	endpoint string
	otlp     string
	speed    float64
	run      string // part of the sessions' names, so that each run has its own
}

// play runs all agents at once and waits for them.
func (d *demo) play(ctx context.Context, tap, server string) error {
	var all sync.WaitGroup
	errs := make([]error, len(scripts)+2)
	for i, script := range scripts {
		all.Go(func() { errs[i] = d.script(ctx, script) })
	}
	all.Go(func() { errs[len(scripts)] = d.real(ctx, tap, server) })
	all.Go(func() { errs[len(scripts)+1] = d.telemetry(ctx) })
	all.Wait()
	return errors.Join(errs...)
}

// script sends the steps of one agent, each after its pause.
func (d *demo) script(ctx context.Context, s script) error {
	session := s.name + "-" + d.run
	fmt.Printf("  %-24s %s\n", session, s.about)
	for _, step := range s.steps {
		if err := d.pause(ctx, step.after); err != nil {
			return err
		}
		if err := d.send(ctx, record(session, s.client, step.body)); err != nil {
			return fmt.Errorf("session %s: %w", session, err)
		}
	}
	return nil
}

// record wraps a message, or an end, into an observation record.
func record(session, client, body string) string {
	return fmt.Sprintf(`{"time":%q,"session":%q,"host":%q,"client":%q,"server":"workshop","transport":"stdio",%s}`+"\n",
		time.Now().UTC().Format(time.RFC3339Nano), session, session, client, body)
}

func (d *demo) pause(ctx context.Context, seconds float64) error {
	t := time.NewTimer(time.Duration(seconds / d.speed * float64(time.Second)))
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (d *demo) send(ctx context.Context, line string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.endpoint+"/v1/observations", strings.NewReader(line))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-ndjson")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("is otelcol-mcp running (make run)? %w", err)
	}
	answer, _ := io.ReadAll(io.LimitReader(res.Body, 1000)) // only for the message
	_ = res.Body.Close()
	if res.StatusCode != http.StatusAccepted {
		return fmt.Errorf("refused: %s %s", res.Status, answer)
	}
	return nil
}
