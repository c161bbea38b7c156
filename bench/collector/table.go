package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// result is what the rounds say of one case.
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
	t := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	row(t, "case", ours, theirs, "ratio", "lowest to highest", "target", "target met")
	row(t, "---", "---", "---", "---", "---", "---", "---")
	for _, r := range all {
		ratio := median(r.ratios)
		row(t, r.name, micros(r.ours), micros(r.theirs), fmt.Sprintf("%.2f", ratio),
			fmt.Sprintf("%.2f to %.2f", slices.Min(r.ratios), slices.Max(r.ratios)), fmt.Sprintf("≤ %.2f", r.limit), yesNo(ratio <= r.limit))
	}
	_ = t.Flush() // as any other print
}

func micros(ns []float64) string { return fmt.Sprintf("%.1f", median(ns)/1e3) }

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

func row(w io.Writer, cells ...string) { fmt.Fprintf(w, "| %s\t|\n", strings.Join(cells, "\t| ")) }
