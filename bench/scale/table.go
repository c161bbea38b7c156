package main

import (
	"bufio"
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/bench/figures"
)

// samples holds the figures of the rounds, by benchmark and unit.
type samples map[string]map[string][]float64

// processors matches what go test adds to a benchmark's name.
var processors = regexp.MustCompile(`-\d+$`)

func parse(text []byte) samples {
	all := samples{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		name, ok := strings.CutPrefix(lines.Text(), "Benchmark")
		fields := strings.Fields(name)
		if !ok || len(fields) < 4 {
			continue
		}
		name = fields[0]
		if i := processors.FindStringIndex(name); i != nil {
			name = name[:i[0]]
		}
		if all[name] == nil {
			all[name] = map[string][]float64{}
		}
		for i := 2; i+1 < len(fields); i += 2 {
			if v, err := strconv.ParseFloat(fields[i], 64); err == nil {
				all[name][fields[i+1]] = append(all[name][fields[i+1]], v)
			}
		}
	}
	return all
}

// median is false if nothing was measured.
func (s samples) median(name, unit string) (float64, bool) {
	values := s[name][unit]
	return figures.Median(values), len(values) > 0
}

// row is a line of the table.
type row struct {
	what  string
	limit float64
	least bool // the limit is
	of    func(samples) (float64, bool)
}

const (
	atLeast = true
	atMost  = false
)

// times returns how often the second benchmark's measure goes into the first one's.
func times(what, first, second, unit string, limit float64, least bool) row {
	return row{what, limit, least, func(s samples) (float64, bool) {
		a, known := s.median(first, unit)
		b, too := s.median(second, unit)
		return a / b, known && too
	}}
}

// value is the measure of a benchmark, in units of which one is per.
func value(what, name, unit string, per, limit float64) row {
	return row{what, limit, atMost, func(s samples) (float64, bool) {
		v, known := s.median(name, unit)
		return v / per, known
	}}
}

var columns = []string{"what", "measured", "target", "target met"}

func add(t figures.Table, rows []row, s samples) {
	for _, r := range rows {
		v, known := r.of(s)
		met, sign := v <= r.limit, "≤"
		if r.least {
			met, sign = v >= r.limit, "≥"
		}
		measured, verdict := fmt.Sprintf("%.4g", v), figures.YesNo(met)
		if !known {
			measured, verdict = "not known here", ""
		}
		t.Row(r.what, measured, fmt.Sprintf("%s %g", sign, r.limit), verdict)
	}
}
