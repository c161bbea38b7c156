// Command tap measures what mcptap costs the pair that it sits between, beside
// a bare pass-through and no pass-through at all. Run it from the module's root,
// with both binaries built (make bench-tap does that):
//
//	go run ./bench/tap
//
// All ways are measured in turn, several rounds, so that whatever else the
// machine does befalls all alike. A figure is the median of the rounds, a ratio
// the median of the rounds' ratios.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/bench/figures"
)

func main() {
	if len(os.Args) == 2 {
		switch os.Args[1] {
		case "bare":
			os.Exit(bare(os.Getenv(serverEnv)))
		case "server":
			serve(os.Stdin, os.Stdout)
			return
		}
	}
	b := bench{}
	flag.StringVar(&b.tap, "mcptap", "bin/mcptap", "the mcptap to measure")
	flag.StringVar(&b.collector, "collector", "bin/otelcol-mcp", "the collector to which it reports")
	flag.IntVar(&b.rounds, "rounds", 7, "how often everything is measured")
	flag.IntVar(&b.calls, "calls", 5000, "round trips in a round")
	flag.IntVar(&b.pipelined, "pipelined", 30_000, "calls in flight one after the other in a round")
	flag.IntVar(&b.burst, "burst", 15_000, "pipelined calls of which every record is to arrive")
	flag.IntVar(&b.large, "large", 12, "10 MB replies in a round")
	flag.Parse()
	if err := b.run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// bench is one run.
type bench struct {
	tap, collector                         string
	rounds, calls, pipelined, burst, large int

	self string
}

// way is the client's way to the server.
type way struct {
	name    string
	program string
	args    []string
	env     []string
}

func (b *bench) run() (err error) {
	if b.self, err = os.Executable(); err != nil {
		return err
	}
	if b.tap, err = filepath.Abs(b.tap); err != nil {
		return err
	}
	c, err := startCollector(b.collector)
	if err != nil {
		return err
	}
	defer c.stop()
	ways := []way{
		{name: direct, program: b.self, args: []string{"server"}},
		{name: pass, program: b.self, args: []string{"bare"}, env: []string{serverEnv + "=" + b.self}},
		{name: up, program: b.tap, args: []string{"--endpoint", c.endpoint, "--", b.self, "server"}},
		{name: down, program: b.tap, args: []string{"--endpoint", "http://127.0.0.1:9/v1/observations", "--", b.self, "server"}},
	}
	all := map[string][]sample{}
	for round := range b.rounds {
		fmt.Fprintf(os.Stderr, "round %d of %d\n", round+1, b.rounds)
		for i := range ways {
			w := &ways[(i+round)%len(ways)]
			s, err := b.measure(w)
			if err != nil {
				return fmt.Errorf("%s: %w", w.name, err)
			}
			all[w.name] = append(all[w.name], s)
		}
	}
	return printTable(os.Stdout, ways, all)
}

// settle is the time that the machine has between two measurements to finish what
// the one before left to do.
const settle = 400 * time.Millisecond

// measure takes all figures of one way, each with a process of its own.
func (b *bench) measure(w *way) (s sample, err error) {
	for _, part := range []func(*pair, *sample) error{
		func(p *pair, s *sample) error { return p.roundTrips(b.calls, s) },
		func(p *pair, s *sample) error { return p.pipeline(b.pipelined, s) },
		func(p *pair, s *sample) error { return p.replies(b.large, s) },
		func(p *pair, s *sample) error { return p.bursts(b.burst, s) },
	} {
		time.Sleep(settle)
		p, err := start(w)
		if err != nil {
			return s, err
		}
		err = part(p, &s)
		s.rss = max(s.rss, figures.MiB(p.cmd.Process.Pid, "VmHWM")[0])
		if ended := p.end(); err == nil {
			err = ended
		}
		if err != nil {
			return s, err
		}
	}
	return s, nil
}

func start(w *way) (*pair, error) {
	cmd := exec.Command(w.program, w.args...) //nolint:gosec // the ways are ours
	cmd.Env = append(os.Environ(), w.env...)
	return connect(cmd)
}
