// Package cputime measures benchmarks by the processor time that they use, which
// other work on the machine lengthens far less than the time that passes.
package cputime

import (
	"testing"
	"time"
)

// Unit is the unit of what Loop reports.
const Unit = "cpu-ns/op"

// Now is the processor time that the process has used, 0 where that is not known.
func Now() time.Duration {
	t, _ := now()
	return t
}

// Loop runs f as often as the benchmark wants. Garbage collection counts.
func Loop(b *testing.B, f func()) {
	b.ReportAllocs()
	start, known := now()
	for b.Loop() {
		f()
	}
	end, _ := now()
	report(b, end-start, known)
}

// LoopAfter runs prepare before each f; it does not count.
func LoopAfter(b *testing.B, prepare, f func()) {
	b.ReportAllocs()
	var sum time.Duration
	_, known := now()
	for b.Loop() {
		b.StopTimer()
		prepare()
		b.StartTimer()
		start, _ := now()
		f()
		end, _ := now()
		sum += end - start
	}
	report(b, sum, known)
}

func report(b *testing.B, sum time.Duration, known bool) {
	if known {
		b.ReportMetric(float64(sum.Nanoseconds())/float64(b.N), Unit)
	}
}
