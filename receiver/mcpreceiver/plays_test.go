package mcpreceiver

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/hook"
	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/registry"
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/push"
)

// plays holds one folder for each agent: reports.jsonl is what it sent while a person used it
// in a terminal (make plays records it), expected.txt its row.
const plays = "../../testdata/plays"

// playReport is a request that reached the collector.
type playReport struct {
	At   int64           `json:"at"` // Unix ms
	Path string          `json:"path"`
	Body json.RawMessage `json:"body"` // OTLP as JSON, else the items as an array
}

func (r playReport) signal() string {
	path, _, _ := strings.Cut(strings.TrimPrefix(r.Path, "/v1/"), "?")
	kind, _, _ := strings.Cut(path, "/")
	return kind
}

func readPlay(t *testing.T, dir string) (all []playReport) {
	data, err := os.ReadFile(filepath.Join(dir, "reports.jsonl"))
	require.NoError(t, err)
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, len(data))
	for lines.Scan() {
		var one playReport
		require.NoError(t, json.Unmarshal(lines.Bytes(), &one))
		all = append(all, one)
	}
	return all
}

// send hands a request to the receiver.
func (r playReport) send(t *testing.T, f *fixture) {
	switch r.signal() {
	case "logs":
		ld, err := (&plog.JSONUnmarshaler{}).UnmarshalLogs(r.Body)
		require.NoError(t, err)
		require.NoError(t, f.receiver.otlp.ConsumeLogs(t.Context(), ld))
	case "traces":
		td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(r.Body)
		require.NoError(t, err)
		require.NoError(t, f.receiver.otlp.ConsumeTraces(t.Context(), td))
	default:
		f.post(t, 0, step{Post: r.Path, Type: "application/json", Body: string(r.Body)})
	}
}

// rowLine is what a row shows at a time.
func rowLine(m pcommon.Map) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", text(m, mcpconv.StateName), text(m, mcpconv.HostPhase))
	if tool := text(m, "mcp.wait.kind"); tool != "" {
		fmt.Fprintf(&b, " %s of %s: %s", tool, text(m, "mcp.wait.tool"), text(m, "mcp.wait.detail"))
	}
	return b.String()
}

// finalLine is what a row counts.
func finalLine(m pcommon.Map) string {
	return fmt.Sprintf("%q turns %d tools %d models %d agents %d in %d out %d errors %d refusals %d %s",
		text(m, "mcp.session.title"), number(m, mcpconv.SummaryTurns), number(m, mcpconv.SummaryTools), number(m, mcpconv.SummaryLLM),
		number(m, mcpconv.SummaryAgents), number(m, mcpconv.SummaryInput), number(m, mcpconv.SummaryOutput),
		number(m, mcpconv.SummaryErrors), number(m, mcpconv.SummaryRefusals), text(m, mcpconv.StateName))
}

// sessionOf is the session that the first hook names.
func sessionOf(t *testing.T, all []playReport) string {
	for _, r := range all {
		if r.signal() == "hooks" {
			var inputs []struct {
				Session string `json:"session_id"`
			}
			require.NoError(t, json.Unmarshal(r.Body, &inputs))
			return inputs[0].Session
		}
	}
	return ""
}

// replayPlay sends reports at their times, and returns what the row shows as time passes, and
// in the end, with the rows of other sessions.
func replayPlay(t *testing.T, all []playReport) (seen []string, last string, others []string) {
	began := all[0].At
	time.Sleep(time.Until(time.UnixMilli(began))) // nothing counts time yet: years pass at once
	f := newFixture(t, t.TempDir(), "", false)
	id := sessionOf(t, all)
	main := func() pcommon.Map {
		synctest.Wait()
		f.sink.mu.Lock()
		defer f.sink.mu.Unlock()
		if m, ok := f.sink.rows[id]; ok {
			return m
		}
		return pcommon.NewMap()
	}
	look := func(at int64) {
		if line := rowLine(main()); len(seen) == 0 || !strings.HasSuffix(seen[len(seen)-1], "\t"+line) {
			seen = append(seen, fmt.Sprintf("%5.1f\t%s", float64(at-began)/1e3, line))
		}
	}
	for i, r := range all {
		time.Sleep(time.Until(time.UnixMilli(r.At)))
		r.send(t, f)
		until := r.At + 60e3
		if i+1 < len(all) {
			until = all[i+1].At
		}
		for at := time.Now().UnixMilli(); at < until && at < r.At+3e3; at += 100 {
			time.Sleep(100 * time.Millisecond)
			look(at)
		}
	}
	time.Sleep(time.Minute)
	look(time.Now().UnixMilli())
	last = finalLine(main())
	for other, row := range f.sink.rows {
		if _, part := row.Get(mcpconv.SessionPartOf); other != id && !part {
			others = append(others, finalLine(row))
		}
	}
	slices.Sort(others)
	f.receiver.sessions.Checkpoint = nil
	require.NoError(t, f.receiver.Shutdown(t.Context()))
	return seen, last, others
}

// Agents that a person uses in a terminal: the row shows at each time what happens.
func TestPlays(t *testing.T) {
	for _, dir := range playDirs(t) {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				all := readPlay(t, dir)
				seen, last, others := replayPlay(t, all)
				path := filepath.Join(dir, "expected.txt")
				seen = append(seen, "row:   "+last, "facts: "+playFacts(t, sessionOf(t, all), all))
				for _, other := range others {
					seen = append(seen, "other: "+other)
				}
				got := strings.Join(seen, "\n") + "\n"
				if *update {
					require.NoError(t, os.WriteFile(path, []byte(got), 0o600))
				}
				want, err := os.ReadFile(path)
				require.NoError(t, err)
				require.Equal(t, string(want), got)
			})
		})
	}
}

// What a session counts and is called does not change if the collector restarts in the middle,
// wherever that is.
func TestPlaysOverRestarts(t *testing.T) {
	for _, dir := range playDirs(t) {
		all := readPlay(t, dir)
		id := sessionOf(t, all)
		end := func(t *testing.T, restarts func(sent int) bool) (line string) {
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(time.Until(time.UnixMilli(all[0].At)))
				f := newFixture(t, t.TempDir(), "", true)
				for i, r := range all {
					time.Sleep(time.Until(time.UnixMilli(r.At)))
					if restarts(i) {
						f.restart(t)
					}
					r.send(t, f)
				}
				time.Sleep(time.Minute)
				synctest.Wait()
				row := f.sink.rows[id]
				line = finalLine(row) + " cost " + text(row, mcpconv.SummaryCost)
				f.receiver.sessions.Checkpoint = nil
				require.NoError(t, f.receiver.Shutdown(t.Context()))
			})
			return line
		}
		var want string
		t.Run(filepath.Base(dir), func(t *testing.T) { want = end(t, func(int) bool { return false }) })
		const parts = 8
		for part := range parts {
			t.Run(fmt.Sprint(filepath.Base(dir), "/", part), func(t *testing.T) {
				assert.Equal(t, want, end(t, func(sent int) bool { return sent == (part+1)*len(all)/(parts+1) }))
			})
		}
		t.Run(filepath.Base(dir)+"/often", func(t *testing.T) {
			assert.Equal(t, want, end(t, func(sent int) bool { return sent%10 == 9 }))
		})
	}
}

// What senders held back while the collector stood still or was away counts once, and no alarm
// comes of the silence.
func TestPlaysAfterThePause(t *testing.T) {
	for _, dir := range playDirs(t) {
		all := readPlay(t, dir)
		id := sessionOf(t, all)
		end := func(t *testing.T, all []playReport) (line string) {
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(time.Until(time.UnixMilli(all[0].At)))
				f := newFixture(t, t.TempDir(), "", false)
				for _, r := range all {
					time.Sleep(time.Until(time.UnixMilli(r.At)))
					r.send(t, f)
					synctest.Wait()
					f.sink.mu.Lock()
					for other, row := range f.sink.rows {
						assert.NotEqual(t, mcpconv.StateStalled, text(row, mcpconv.StateName), other)
					}
					f.sink.mu.Unlock()
				}
				time.Sleep(time.Minute)
				synctest.Wait()
				line = finalLine(f.sink.rows[id]) + " cost " + text(f.sink.rows[id], mcpconv.SummaryCost)
				f.receiver.sessions.Checkpoint = nil
				require.NoError(t, f.receiver.Shutdown(t.Context()))
			})
			return line
		}
		var want string
		t.Run(filepath.Base(dir), func(t *testing.T) { want = end(t, all) })
		for _, began := range []int64{1, 5, 12, 22, 45, 60} {
			for name, order := range map[string]func(a, b playReport) int{
				"as sent": func(playReport, playReport) int { return 0 },
				"hooks first": func(a, b playReport) int {
					return strings.Count(b.signal(), "hooks") - strings.Count(a.signal(), "hooks")
				},
			} {
				t.Run(fmt.Sprintf("%s/%d/%s", filepath.Base(dir), began, name), func(t *testing.T) {
					late := slices.Clone(all)
					from := all[0].At + began*1e3
					until := from + 100e3
					for i := range late {
						if late[i].At > from {
							late[i].At = max(late[i].At, until)
						}
					}
					slices.SortStableFunc(late, func(a, b playReport) int {
						return cmp.Or(cmp.Compare(a.At, b.At), order(a, b))
					})
					assert.Equal(t, want, end(t, late))
				})
			}
		}
	}
}

// The facts are the same in any order of the reports, and if some come twice.
func TestPlaysInAnyOrder(t *testing.T) {
	for _, dir := range playDirs(t) {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			all := readPlay(t, dir)
			id := sessionOf(t, all)
			want := playFacts(t, id, all)
			for name, order := range playOrders {
				assert.Equal(t, want, playFacts(t, id, order(slices.Clone(all))), name)
			}
		})
	}
}

func playDirs(t *testing.T) []string {
	dirs, err := filepath.Glob(filepath.Join(plays, "*"))
	require.NoError(t, err)
	require.NotEmpty(t, dirs)
	return dirs
}

// playOrders are other ways in which the same reports may arrive.
var playOrders = map[string]func([]playReport) []playReport{
	"last first": func(all []playReport) []playReport {
		slices.Reverse(all)
		return all
	},
	"hooks last":       func(all []playReport) []playReport { return behind(all, "hooks") },
	"log records last": func(all []playReport) []playReport { return behind(all, "logs") },
	"spans last":       func(all []playReport) []playReport { return behind(all, "traces") },
	"twice":            func(all []playReport) []playReport { return append(all, all...) },
}

// behind moves what is sent of a signal behind all else.
func behind(all []playReport, signal string) []playReport {
	slices.SortStableFunc(all, func(a, b playReport) int {
		return cmp.Compare(strings.Count(a.signal(), signal), strings.Count(b.signal(), signal))
	})
	return all
}

// playFacts are the totals of the session.
func playFacts(t *testing.T, id string, all []playReport) string {
	s, decoder := newShadow(), shadowDecoder{to: nil, Decoder: newDecoder()}
	decoder.to = s
	for _, r := range all {
		switch r.signal() {
		case "logs":
			ld, err := (&plog.JSONUnmarshaler{}).UnmarshalLogs(r.Body)
			require.NoError(t, err)
			everyLog(ld, func(from *otlp.Origin, lr plog.LogRecord) bool { return decoder.Log(from, lr) != nil })
		case "traces":
			td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(r.Body)
			require.NoError(t, err)
			everySpan(td, func(from *otlp.Origin, span ptrace.Span) bool { return decoder.Span(from, span) != nil })
		case "hooks":
			s.inputs(t, r)
		}
	}
	best := s.sets()[id].Totals()
	return fmt.Sprintf("turns %d tools %d models %d agents %d in %d out %d errors %d refusals %d interruptions %d compactions %d",
		best.Turns, best.ToolCalls, best.ModelCalls, best.Agents, best.Usage.Input, best.Usage.Output, best.Errors, best.Refusals,
		best.Interruptions, best.Compactions)
}

// inputs adds what hooks report.
func (s *shadow) inputs(t *testing.T, r playReport) {
	u, err := url.Parse(r.Path)
	require.NoError(t, err)
	decoder := registry.Hooks()[strings.TrimPrefix(u.Path, push.HooksPath)]()
	ran, _ := strconv.ParseInt(u.Query().Get("time"), 10, 64)
	var items jsonscan.Items
	var body hook.Body
	items.Reset(r.Body)
	for items.Next() {
		require.NoError(t, items.Done(body.Decode(items.Cursor(), hook.Defaults{Event: u.Query().Get("event"), Session: u.Query().Get("session")})))
		env := event.Envelope{Time: cmp.Or(body.When(), ran, r.At*1e6), Session: body.SessionID()}
		s.event(&env, identity.TraceID{}, decoder.Event(&body))
	}
}
