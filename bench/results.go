package main

import (
	"bufio"
	"bytes"
	"strconv"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/bench/cputime"
	"github.com/otelcol-mcp/otelcol-mcp/bench/figures"
)

// sample is one round's measurement of one benchmark.
type sample struct{ ns, bytes, allocs float64 }

// results are the samples by case and way, round by round.
type results struct {
	cpu   string
	cases []string // in the order in which they ran
	ways  map[string]map[string][]sample
}

// add reads what the benchmarks of one round printed.
func (r *results) add(round int, text []byte) {
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		if cpu, ok := strings.CutPrefix(lines.Text(), "cpu: "); ok {
			r.cpu = cpu
		}
		fields := strings.Fields(lines.Text())
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		name, way, ok := cutLast(fields[0])
		if ok {
			r.put(round, name, way, parse(fields[2:]))
		}
	}
}

// cutLast parts the last level of a benchmark's name from the others.
func cutLast(name string) (levels, last string, ok bool) {
	i := strings.LastIndexByte(name, '/')
	if i < 0 {
		return "", "", false
	}
	return name[:i], name[i+1:], true
}

// parse reads pairs of value and unit. Processor time is worth more than what
// passed.
func parse(fields []string) sample {
	by := map[string]float64{}
	for i := 0; i+1 < len(fields); i += 2 {
		if value, err := strconv.ParseFloat(fields[i], 64); err == nil {
			by[fields[i+1]] = value
		}
	}
	ns, ok := by[cputime.Unit]
	if !ok {
		ns = by["ns/op"]
	}
	return sample{ns, by["B/op"], by["allocs/op"]}
}

func (r *results) put(round int, name, way string, s sample) {
	if r.ways == nil {
		r.ways = map[string]map[string][]sample{}
	}
	if r.ways[name] == nil {
		r.ways[name] = map[string][]sample{}
		r.cases = append(r.cases, name)
	}
	if len(r.ways[name][way]) == round { // once a round
		r.ways[name][way] = append(r.ways[name][way], s)
	}
}

// typical is the median of each measure, for one of n.
func typical(samples []sample, n float64) sample {
	of := func(measure func(sample) float64) float64 {
		values := make([]float64, len(samples))
		for i, s := range samples {
			values[i] = measure(s)
		}
		return figures.Median(values) / n
	}
	return sample{
		of(func(s sample) float64 { return s.ns }),
		of(func(s sample) float64 { return s.bytes }),
		of(func(s sample) float64 { return s.allocs }),
	}
}

// ratio is the median of the rounds' ratios.
func ratio(ours, theirs []sample, measure func(sample) float64) float64 {
	ratios := make([]float64, min(len(ours), len(theirs)))
	for i := range ratios {
		ratios[i] = measure(ours[i]) / measure(theirs[i])
	}
	return figures.Median(ratios)
}
