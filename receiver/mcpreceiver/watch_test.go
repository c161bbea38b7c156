package mcpreceiver

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// What may happen to a host, in all orders. The pauses are longer than what makes
// a call stuck and a host stalled, and longer than what ends a session by so
// little that what follows comes while it is still remembered.
var happenings = []string{"working", "idle", "call", "reply", "4m", "31m"}

var messagesOf = map[string]string{
	"working": `{"jsonrpc":"2.0","method":"notifications/host.heartbeat","params":{"phase":"working"}}`,
	"idle":    `{"jsonrpc":"2.0","method":"notifications/host.heartbeat","params":{"phase":"idle"}}`,
	"call":    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`,
	"reply":   `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`,
}

// TestPhasesStallsStuckCallsAndEndsInAllOrders holds what the receiver tells
// against what an account of the rules alone says that it must.
func TestPhasesStallsStuckCallsAndEndsInAllOrders(t *testing.T) {
	orders := permutations(happenings)
	require.Len(t, orders, 720)
	for _, order := range orders {
		swept(t, quiet(), func(t *testing.T, r *mcpReceiver, g *gate, _ *statusHost) {
			began := time.Now()
			var a account
			for _, what := range order {
				if d, err := time.ParseDuration(what); err == nil {
					pass(d)
					a.pass(time.Since(began))
					continue
				}
				require.Equal(t, http.StatusAccepted, tell(t, r, "s", messagesOf[what]))
				a.happens(what)
			}
			pass(3 * time.Hour)
			a.pass(time.Since(began))
			require.Equal(t, a.sorted(), g.account(began), "%v", order)
		})
	}
}

func permutations(of []string) (all [][]string) {
	if len(of) == 0 {
		return [][]string{nil}
	}
	for i, first := range of {
		rest := slices.Concat(of[:i], of[i+1:])
		for _, p := range permutations(rest) {
			all = append(all, append([]string{first}, p...))
		}
	}
	return all
}

// account keeps the books on one session by the rules and nothing else, second
// by second. Times count from the beginning.
type account struct {
	now   time.Duration
	lines []string

	open    bool
	epoch   int
	start   time.Duration
	last    time.Duration // message, or what was found in its absence
	quiet   time.Duration // since when nothing has moved
	ended   time.Duration
	phase   string
	entered time.Duration
	beaten  bool
	stalled bool
	calling bool
	called  time.Duration
	stuck   bool
	lost    bool // a call got stuck, and nothing was heard since
}

func (a *account) add(format string, args ...any) {
	a.lines = append(a.lines, fmt.Sprintf(format, args...))
}

func (a *account) sorted() []string {
	slices.Sort(a.lines)
	return a.lines
}

func (a *account) pass(until time.Duration) {
	for ; a.now < until; a.now += time.Second {
		a.tick()
	}
	a.now = until
	a.tick()
}

// tick finds what is due now.
func (a *account) tick() {
	if !a.open {
		return
	}
	switch {
	case a.calling && !a.stuck && a.now >= a.called+2*time.Minute:
		a.stuck, a.lost = true, true
		a.last = max(a.last, a.called+2*time.Minute)
		a.add("mcp.call.stuck %v", a.called+2*time.Minute)
	case a.calling && a.now >= a.called+time.Hour:
		a.calling, a.quiet = false, a.now
		a.add("tool.call %v..%v incomplete", a.called, max(a.last, a.called))
	case a.calling:
	case a.beaten && !a.stalled && a.phase != "idle" && a.now >= a.quiet+3*time.Minute:
		a.stalled = true
		a.last = a.now
		a.add("mcp.host.stalled %v", a.now)
	case a.now >= a.quiet+30*time.Minute:
		a.end()
	}
}

func (a *account) end() {
	a.leave(a.last, " incomplete")
	reason := "idle"
	if a.stalled || a.lost { // nobody has seen to it
		reason = "stalled"
	}
	a.add("workflow.run %v..%v %s epoch %d", a.start, a.last, reason, a.epoch)
	*a = account{now: a.now, lines: a.lines, ended: a.now, epoch: a.epoch}
}

func (a *account) leave(at time.Duration, how string) {
	if a.phase != "" {
		a.add("host.phase %s %v..%v%s", a.phase, a.entered, at, how)
	}
}

func (a *account) happens(what string) {
	if !a.open {
		if a.epoch > 0 && what != "call" && a.now <= a.ended+2*time.Minute {
			return // reopens nothing
		}
		a.open, a.epoch, a.start = true, a.epoch+1, a.now
	}
	a.last, a.quiet, a.lost = a.now, a.now, false
	if a.stalled {
		a.stalled = false
		a.add("mcp.host.resumed %v", a.now)
	}
	switch what {
	case "call":
		a.calling, a.called, a.stuck = true, a.now, false
	case "reply":
		a.replied()
	default:
		a.beaten = true
		if a.phase != what {
			a.leave(a.now, "")
			a.phase, a.entered = what, a.now
		}
	}
}

func (a *account) replied() {
	if !a.calling {
		return
	}
	if a.stuck {
		a.add("mcp.call.returned %v", a.now)
	}
	a.add("tool.call %v..%v", a.called, a.now)
	a.calling = false
}

// account returns what was reported, in the same words.
func (g *gate) account(began time.Time) (lines []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, s := range g.taken {
		if line := inWords(s, began); line != "" {
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	return lines
}

func inWords(s ptrace.Span, began time.Time) string {
	start, end := s.StartTimestamp().AsTime().Sub(began), endOf(s).AsTime().Sub(began).Truncate(time.Microsecond)
	word := func(key string) string {
		if v, ok := s.Attributes().Get(key); ok {
			return v.AsString()
		}
		return ""
	}
	how := ""
	if word("mcp.span.incomplete") == "true" {
		how = " incomplete"
	}
	switch name := s.Name(); name {
	case "host.phase":
		return fmt.Sprintf("%s %s %v..%v%s", name, word("mcp.host.phase"), start, end, how)
	case "tool.call":
		return fmt.Sprintf("%s %v..%v%s", name, start, end, how)
	case "workflow.run":
		epoch := max(word("mcp.session.epoch"), "1")
		return fmt.Sprintf("%s %v..%v %s epoch %s", name, start, end, word("mcp.session.end_reason"), epoch)
	case "mcp.host.stalled", "mcp.host.resumed", "mcp.call.stuck", "mcp.call.returned":
		return fmt.Sprintf("%s %v", name, start)
	}
	return ""
}
