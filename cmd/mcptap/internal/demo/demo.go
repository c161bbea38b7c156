// Package demo simulates coding agents for a person who looks at the web UI.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// SessionPrefix begins the ids of the demo's sessions, so that nobody takes them for an agent's.
const SessionPrefix = "demo-"

// Options say where the collector is.
type Options struct {
	Endpoint string  // base URL of the mcp receiver
	OTLP     string  // base URL of its OTLP receiver
	Speed    float64 // how many times as fast as usual
	Out      io.Writer
}

// play is one run.
type play struct {
	Options
	mu  sync.Mutex // of Out
	run string     // part of the sessions' names, so that each run has its own
}

// Run simulates five agents at once, and returns when they have done what they do. One of
// them waits for an approval, and one for a call: their sessions stay open.
func Run(ctx context.Context, opt Options) error {
	d := &play{Options: opt, run: time.Now().Format("150405")}
	var all sync.WaitGroup
	errs := make([]error, len(scripts)+1)
	for i, s := range scripts {
		all.Go(func() { errs[i] = d.script(ctx, s) })
	}
	all.Go(func() { errs[len(scripts)] = d.telemetry(ctx) })
	all.Wait()
	return errors.Join(errs...)
}

// say prints what an agent does.
func (d *play) say(session, about string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	fmt.Fprintf(d.Out, "  %-23s %s\n", session, about)
}

// script sends the steps of one agent, each after its pause.
func (d *play) script(ctx context.Context, s script) error {
	session := SessionPrefix + s.name + "-" + d.run
	d.say(session, s.about)
	for _, step := range s.steps {
		if err := d.pause(ctx, step.after); err != nil {
			return err
		}
		err := post(ctx, d.Endpoint+"/v1/observations", "application/x-ndjson", record(session, s.client, step.body), http.StatusAccepted)
		if err != nil {
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

func (d *play) pause(ctx context.Context, seconds float64) error {
	t := time.NewTimer(time.Duration(seconds / d.Speed * float64(time.Second)))
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// post sends a body and expects a status.
func post(ctx context.Context, url, contentType, body string, want int) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", contentType)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	answer, _ := io.ReadAll(io.LimitReader(response.Body, 1000)) // only for the message
	_ = response.Body.Close()
	if response.StatusCode != want {
		return fmt.Errorf("%s rejected it: %s %s", url, response.Status, answer)
	}
	return nil
}
