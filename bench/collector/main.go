// Command collector measures what a message costs the whole collector: the
// processor time of the real binary, over HTTP. Run it from the module's root,
// with the binary built (make bench does that):
//
//	go run ./bench/collector
//
// Into the nop exporter, one process takes messages and, in turn, the spans that
// they become as OTLP. Through the default pipelines, two processes take the same
// messages in turn, one of them without the web UI. What agents send by OTLP goes to
// the default configuration and, in turn, to the otlp receiver with nop. A ratio is the median of the
// rounds' ratios.
package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/bench/figures"
)

func main() {
	b := bench{}
	flag.StringVar(&b.binary, "collector", "bin/otelcol-mcp", "the collector to measure")
	flag.IntVar(&b.rounds, "rounds", 7, "how often everything is measured")
	flag.DurationVar(&b.window, "window", 300*time.Millisecond, "how long each way is measured in each round")
	only := flag.String("run", "", "which cases, as a regular expression")
	flag.Parse()
	var err error
	if b.only, err = regexp.Compile(*only); err == nil {
		err = b.run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// bench is one run.
type bench struct {
	binary string
	rounds int
	window time.Duration
	only   *regexp.Regexp
}

func (b *bench) run() error {
	besides, err := b.besideOTLP()
	if err != nil {
		return err
	}
	pipelines, err := b.defaultPipelines()
	if err != nil {
		return err
	}
	agents, err := b.agents()
	if err != nil {
		return err
	}
	if b.only.MatchString("idle") {
		i, err := b.idle()
		if err != nil {
			return err
		}
		i.print(os.Stdout)
	}
	printTable(os.Stdout, "The collector into nop, over HTTP, for each message, pair or body", "messages", "OTLP spans", besides)
	printTable(os.Stdout, "Through the default pipelines, for each message or pair", "with the web UI", "without", pipelines)
	printTable(os.Stdout, "What an agent sends in a session by OTLP", "default configuration", "otlp receiver, nop", agents)
	return nil
}

// besideOTLP measures both ways into one process.
func (b *bench) besideOTLP() (all []result, err error) {
	for i := range workloads {
		w := &workloads[i]
		if !b.only.MatchString(w.name) {
			continue
		}
		export, err := equal(b.binary, w)
		if err != nil {
			return nil, err
		}
		c, err := start(b.binary, into("nop", "{}"))
		if err != nil {
			return nil, err
		}
		m := w.messages()
		ways := [2]way{
			{c, func() error { m.renew(); return c.observations(m.bodies) }},
			{c, func() error { return c.spans(export) }},
		}
		r, err := b.measure(w.name, float64(w.limit), ways, b.window, 0)
		c.stop()
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// How long the default pipelines are measured: files are written once a second.
const (
	longer = 2 * time.Second
	flush  = 1200 * time.Millisecond
)

// defaultPipelines measures the same messages into two processes.
func (b *bench) defaultPipelines() (all []result, err error) {
	for _, of := range []struct {
		workload int
		limit    float64
	}{{0, 2.0}, {1, 1.6}, {2, 1.8}, {3, 1.6}} {
		w := &workloads[of.workload]
		if !b.only.MatchString("default, " + w.name) {
			continue
		}
		var ways [2]way
		for k, webUI := range []bool{true, false} {
			c, err := start(b.binary, byDefault(webUI))
			if err != nil {
				return nil, err
			}
			defer c.stop()
			m := w.messages()
			ways[k] = way{c, func() error { m.renew(); return c.observations(m.bodies) }}
		}
		r, err := b.measure(w.name, of.limit, ways, longer, flush)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// way is one of two that are compared.
type way struct {
	c    *collector
	send func() error
}

// measure takes both in turn, beginning with another one each round. The first
// round only warms up.
func (b *bench) measure(name string, limit float64, ways [2]way, window, settle time.Duration) (r result, err error) {
	r = result{name: name, limit: limit}
	for round := range b.rounds + 1 {
		var costs [2]float64
		for k := range ways {
			k = (k + round) % len(ways)
			if costs[k], err = ways[k].c.cost(window, settle, ways[k].send); err != nil {
				return r, fmt.Errorf("%s: %w", name, err)
			}
		}
		if round > 0 {
			r.add(costs)
		}
	}
	fmt.Fprintf(os.Stderr, "%s: %.2f\n", name, figures.Median(r.ratios))
	return r, nil
}
