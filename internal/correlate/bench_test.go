package correlate

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
)

// session makes n reports of tool and model calls of a long session: hooks, logs and spans,
// of which loose sources give no id.
func session(n int, loose bool) []Report {
	reports := make([]Report, 0, n+8)
	now := int64(1_700_000_000) * second
	for i := 0; len(reports) < n; i++ {
		id, start, end := fmt.Sprint("call_", i), now, now+second
		now += 3 * second
		turn := NewID(PromptID, fmt.Sprint("turn_", i/20))
		if i%4 == 3 {
			u := Usage{Input: int64(1000 + i), Output: int64(50 + i%100)}
			base := Report{Kind: ModelCall, Name: "opus", Start: start, End: end, Usage: u, HasUsage: true, Outcome: OK, Parent: turn}
			for _, source := range [...]Source{Log, Span} {
				r := base
				r.Source = source
				if !loose {
					r.IDs[0] = NewID(RequestID, id)
				}
				reports = append(reports, r)
			}
			continue
		}
		base := Report{Kind: ToolCall, Name: "Read", Digest: Digest(id), Parent: turn}
		for _, p := range [...]struct {
			source Source
			stage  Stage
		}{{Hook, Begin}, {Hook, Whole}, {Log, Decision}, {Log, Whole}, {Span, Whole}} {
			r := base
			r.Source, r.Stage = p.source, p.stage
			r.Start, r.End = start, end
			if p.stage == Whole {
				r.Outcome = OK
			}
			if !loose {
				r.IDs[0] = NewID(CallID, id)
			}
			reports = append(reports, r)
		}
	}
	return reports[:n]
}

const benchReports = 20_000

func BenchmarkAdd(b *testing.B) {
	for _, loose := range []bool{false, true} {
		for _, order := range []string{"in order", "at random", "backwards"} {
			reports := session(benchReports, loose)
			switch order {
			case "at random":
				r := rand.New(rand.NewPCG(1, 1))
				r.Shuffle(len(reports), func(i, j int) { reports[i], reports[j] = reports[j], reports[i] })
			case "backwards":
				for i, j := 0, len(reports)-1; i < j; i, j = i+1, j-1 {
					reports[i], reports[j] = reports[j], reports[i]
				}
			}
			b.Run(fmt.Sprintf("loose=%v/%s", loose, order), func(b *testing.B) {
				for b.Loop() {
					s := &Set{}
					for i := range reports {
						s.Add(&reports[i])
						s.Commit()
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchReports, "ns/add")
				var before, after runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&before)
				s := &Set{}
				for i := range reports {
					s.Add(&reports[i])
					s.Commit()
				}
				runtime.GC()
				runtime.ReadMemStats(&after)
				b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(s.Len()), "B/fact")
				b.ReportMetric(float64(s.Len()), "facts")
				runtime.KeepAlive(s)
			})
		}
	}
}
