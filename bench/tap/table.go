package main

import (
	"fmt"
	"io"
	"runtime"

	"github.com/otelcol-mcp/otelcol-mcp/bench/figures"
)

// The ways.
const (
	direct = "no pass-through"
	pass   = "bare pass-through"
	up     = "mcptap, collector up"
	down   = "mcptap, collector down"
)

// queueMiB is the bound of mcptap's queue.
const queueMiB = 8

func printTable(w io.Writer, ways []way, all map[string][]sample) error {
	fmt.Fprintf(w, "Medians of %d rounds on %d processors, %s %s/%s\n\n", len(all[direct]), runtime.NumCPU(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	t := figures.NewTable(w, "", "round trip p50, µs", "p99, µs", "pipelined calls/s", "10 MB replies, MB/s", "peak RSS, MiB", "lost records of a burst")
	for i := range ways {
		s := all[ways[i].name]
		t.Row(ways[i].name, figure(s, p50), figure(s, p99), figure(s, perSecond), figure(s, large), figure(s, rss), figure(s, lost))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprint(w, "\nBeside the bare pass-through:\n\n")
	t = figures.NewTable(w, "", "p50 more, µs (≤ 25)", "p99 (≤ 1.3)", "pipelined (≥ 0.8)", "10 MB replies (≥ 0.9)", fmt.Sprintf("RSS, MiB (≤ 30 + %d)", queueMiB), "met")
	for _, name := range []string{up, down} {
		beside(t, name, all[pass], all[name])
	}
	return t.Flush()
}

func beside(t figures.Table, name string, theirs, ours []sample) {
	more := figures.Median(pairwise(ours, theirs, func(a, b sample) float64 { return a.p50 - b.p50 }))
	ratio := func(of func(sample) float64) float64 {
		return figures.Median(pairwise(ours, theirs, func(a, b sample) float64 { return of(a) / of(b) }))
	}
	tail, calls, bulk, memory := ratio(p99), ratio(perSecond), ratio(large), figures.Median(values(ours, rss))
	met := "no"
	if more <= 25 && tail <= 1.3 && calls >= 0.8 && bulk >= 0.9 && memory <= 30+queueMiB {
		met = "yes"
	}
	t.Row(name, fmt.Sprintf("%+.1f", more), fmt.Sprintf("%.2f", tail), fmt.Sprintf("%.2f", calls), fmt.Sprintf("%.2f", bulk), fmt.Sprintf("%.1f", memory), met)
}

func p50(s sample) float64       { return s.p50 }
func p99(s sample) float64       { return s.p99 }
func perSecond(s sample) float64 { return s.perSecond }
func large(s sample) float64     { return s.large }
func rss(s sample) float64       { return s.rss }
func lost(s sample) float64      { return s.lost }

func figure(s []sample, of func(sample) float64) string {
	return fmt.Sprintf("%.4g", figures.Median(values(s, of)))
}

func values(s []sample, of func(sample) float64) []float64 {
	v := make([]float64, len(s))
	for i := range s {
		v[i] = of(s[i])
	}
	return v
}

func pairwise(ours, theirs []sample, of func(a, b sample) float64) []float64 {
	v := make([]float64, min(len(ours), len(theirs)))
	for i := range v {
		v[i] = of(ours[i], theirs[i])
	}
	return v
}
