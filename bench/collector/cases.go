package main

import (
	"bytes"

	"github.com/otelcol-mcp/otelcol-mcp/bench/payload"
)

// limit bounds our processor time as a share of the otlp receiver's.
type limit float64

// workload holds what is sent, again and again, with numbers of its own each time.
type workload struct {
	name   string
	bodies func() [][]byte
	pairs  int // in a body; 0: numbers do not differ within one
	spans  int
	limit  limit
}

var workloads = []workload{
	{"heartbeat, one a POST", func() [][]byte { return [][]byte{payload.BeatRecord()} }, 0, 1, 0.9},
	{"100 heartbeats, one body", func() [][]byte { return [][]byte{bytes.Repeat(payload.BeatRecord(), 100)} }, 0, 100, 0.6},
	{"pair of 5 KB, two POSTs", apart(5_000, payload.TextResult(payload.Prose)), 0, 1, 1.5},
	{"100 pairs of 5 KB, one body", together(5_000), 100, 100, 0.75},
	{"pair of 100 KB of prose", apart(100_000, payload.TextResult(payload.Prose)), 0, 1, 0.9},
	{"pair of 100 KB of ASCII", apart(100_000, payload.TextResult(payload.Plain)), 0, 1, 0.9},
	{"pair of 100 KB, structured", apart(100_000, payload.StructuredResult), 0, 1, 1.0},
	{"100 pairs of 100 KB, one body", together(100_000), 100, 100, 1.0},
}

// apart is a call and its reply, each in a body of its own.
func apart(n int, result func(int) string) func() [][]byte {
	return func() [][]byte {
		request, reply := payload.Call(n, result)
		return [][]byte{request, reply}
	}
}

// together is a hundred of them in one body.
func together(n int) func() [][]byte {
	return func() [][]byte {
		request, reply := payload.Call(n, payload.TextResult(payload.Prose))
		return [][]byte{bytes.Repeat(append(request, reply...), 100)}
	}
}

// messages renews the numbers of its bodies.
type messages struct {
	bodies  [][]byte
	numbers payload.Numbers
	next    int
	pairs   int
}

func (w *workload) messages() *messages {
	m := &messages{bodies: w.bodies(), next: payload.FirstNumber, pairs: w.pairs}
	m.numbers = payload.NumbersOf(m.bodies...)
	return m
}

// renew gives the bodies numbers that none had before.
func (m *messages) renew() {
	m.next += 200
	if m.pairs == 0 {
		m.numbers.Set(m.next)
		return
	}
	m.numbers.Count(m.next, m.numbers.Len()/m.pairs)
}
