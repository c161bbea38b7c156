package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-mcp/otelcol-mcp/bench/figures"
)

func TestTable(t *testing.T) {
	s := parse([]byte("goos: linux\nBenchmarkA/1-2 \t 10\t 300 ns/op\t 4 lock-%\nBenchmarkA/2-2 \t 10\t 100 ns/op\nBenchmarkA/2-2 \t 10\t 200 ns/op\nPASS\n"))
	var b strings.Builder
	table := figures.NewTable(&b, columns...)
	add(table, []row{
		times("twice as many", "A/1", "A/2", "ns/op", 1.8, atLeast),
		times("no more", "A/1", "A/2", "ns/op", 1.5, atMost),
		value("locks", "A/1", "lock-%", 1, 15),
		value("elsewhere", "A/1", "cpu-ns/op", 1, 15),
	}, s)
	assert.NoError(t, table.Flush())
	var got []string
	for line := range strings.Lines(b.String()) {
		got = append(got, strings.Join(strings.Fields(line), " "))
	}
	assert.Equal(t, []string{
		"| what | measured | target | target met |",
		"| --- | --- | --- | --- |",
		"| twice as many | 2 | ≥ 1.8 | yes |",
		"| no more | 2 | ≤ 1.5 | no |",
		"| locks | 4 | ≤ 15 | yes |",
		"| elsewhere | not known here | ≤ 15 | |",
	}, got)
}
