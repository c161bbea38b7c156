package mcpserver

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

func unknown(string) session.State { return session.Unknown }

// The ledger is held against a slice: the sessions in order of use.
func TestLedgerIsALeastRecentlyUsedList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const idle = 100
		limit := rapid.IntRange(1, 5).Draw(t, "max")
		states := map[string]session.State{}
		l := newLedger(limit, idle, func(id string) session.State { return states[id] })
		type row struct {
			id   string
			seen int64
		}
		var model []row
		var ids []string
		drop := func(id string) {
			for i := range model {
				if model[i].id == id {
					model = append(model[:i], model[i+1:]...)
					return
				}
			}
		}
		push := func(s row) {
			drop(s.id)
			if len(model) == limit {
				model = model[1:]
			}
			model = append(model, s)
		}
		find := func(id string) (s row, ok bool) {
			for _, s := range model {
				if s.id == id {
					return s, true
				}
			}
			return s, false
		}
		now := int64(1000)
		some := func(t *rapid.T) string {
			if len(ids) == 0 {
				t.Skip("nothing is minted yet: another step takes its turn")
			}
			return rapid.SampledFrom(ids).Draw(t, "id")
		}
		t.Repeat(map[string]func(*rapid.T){
			"mint": func(*rapid.T) {
				id := l.mint(now)
				ids = append(ids, id)
				push(row{id, now})
			},
			"use": func(t *rapid.T) {
				id := some(t)
				s, known := find(id)
				state := states[id]
				valid := state == session.Open || state == session.Unknown && known && now-s.seen <= idle
				if valid {
					push(row{id, now})
				} else {
					drop(id)
				}
				if got := l.use(id, now); got != valid {
					t.Fatalf("use is %t", got)
				}
			},
			"end":   func(t *rapid.T) { id := some(t); l.end(id); drop(id) },
			"clock": func(t *rapid.T) { now += rapid.Int64Range(1, 150).Draw(t, "passes") },
			"tracker": func(t *rapid.T) {
				states[some(t)] = session.State(rapid.IntRange(0, 2).Draw(t, "state"))
			},
			"": func(t *rapid.T) {
				if len(l.index) != len(model) || l.used.Len() != len(model) || len(model) > limit {
					t.Fatalf("holds %d in a list of %d, not %d", len(l.index), l.used.Len(), len(model))
				}
				at := l.used.Front()
				for _, s := range model {
					if k, _ := keyOf(s.id); at.Value.key != k || l.index[k] != at {
						t.Fatal("out of order")
					}
					at = at.Next()
				}
			},
		})
	})
}

func TestIDsAreOfOneForm(t *testing.T) {
	l := newLedger(10, time.Hour, unknown)
	seen := map[string]bool{}
	for range 1000 {
		id := l.mint(1)
		require.Regexp(t, `^[0-9a-f]{32}$`, id)
		require.False(t, seen[id])
		seen[id] = true
	}
}

func TestLedgerFromManyGoroutines(t *testing.T) {
	l := newLedger(8, time.Hour, unknown)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 500 {
				id := l.mint(1)
				l.use(id, 2)
				l.end(id)
			}
		})
	}
	wg.Wait()
	assert.Empty(t, l.index)
}

const manySessions = 100_000

// The header's part of a session's memory is held to 200 bytes.
func TestMemoryOfManySessions(t *testing.T) {
	before := heap()
	l := newLedger(manySessions, time.Hour, unknown)
	first := l.mint(1)
	for range manySessions - 1 {
		l.mint(1)
	}
	perSession := float64(heap()-before) / manySessions
	fmt.Printf("%d sessions: %.0f bytes each in the ledger\n", len(l.index), perSession)
	assert.Less(t, perSession, 200.0)
	require.True(t, l.use(first, 2), "none too many yet")
	l.mint(3)
	l.mint(3)
	require.Len(t, l.index, manySessions)
	require.True(t, l.use(first, 4), "was used after the others")
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func BenchmarkUse(b *testing.B) {
	for _, n := range []int{1, manySessions} {
		b.Run(fmt.Sprintf("sessions=%d", n), func(b *testing.B) {
			l := newLedger(n, time.Hour, unknown)
			ids := make([]string, n)
			for i := range ids {
				ids[i] = l.mint(1)
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if !l.use(ids[i*7919%n], 2) {
					b.Fatal("lost")
				}
			}
		})
	}
}
