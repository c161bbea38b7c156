package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/otelcol-mcp/otelcol-mcp/bench/figures"
)

// result holds what the rounds say of one case.
type result struct {
	name         string
	limit        float64
	ours, theirs []float64 // ns
	ratios       []float64
}

func (r *result) add(costs [2]float64) {
	r.ours, r.theirs = append(r.ours, costs[0]), append(r.theirs, costs[1])
	r.ratios = append(r.ratios, costs[0]/costs[1])
}

func printTable(w io.Writer, title, ours, theirs string, all []result) {
	if len(all) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s: µs of processor time\n\n", title)
	t := figures.NewTable(w, "case", ours, theirs, "ratio", "lowest to highest", "target", "target met")
	for _, r := range all {
		ratio := figures.Median(r.ratios)
		t.Row(r.name, micros(r.ours), micros(r.theirs), fmt.Sprintf("%.2f", ratio),
			fmt.Sprintf("%.2f to %.2f", slices.Min(r.ratios), slices.Max(r.ratios)), fmt.Sprintf("≤ %.2f", r.limit), figures.YesNo(ratio <= r.limit))
	}
	_ = t.Flush() // as any other print
}

func micros(ns []float64) string { return fmt.Sprintf("%.1f", figures.Median(ns)/1e3) }
