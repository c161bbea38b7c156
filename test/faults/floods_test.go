package faults

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestFloods posts what is small, but much: sessions, labels, progress, open calls.
// The receiver refuses or forgets some of it and stays within its memory.
func TestFloods(t *testing.T) {
	for _, tt := range []struct {
		name string
		line func(n int) string
		n    int
	}{
		{"sessions", func(n int) string {
			return fmt.Sprintf(`{"session":"s-%d","message":{"jsonrpc":"2.0","method":"notifications/x"}}`, n)
		}, choose(10_000, 300_000)},
		{"sessions with open calls", func(n int) string {
			return fmt.Sprintf(`{"session":"s-%d",%s}`, n, request("n", 1, strings.Repeat("x", 500)))
		}, choose(10_000, 300_000)},
		{"labels", func(n int) string {
			return fmt.Sprintf(`{"session":"s","client":"client-%d","server":"server-%[1]d","message":{"jsonrpc":"2.0","id":%[1]d,"method":"method/%[1]d","params":{"name":"tool-%[1]d"}}}`, n) + "\n" +
				fmt.Sprintf(`{"session":"s","message":{"jsonrpc":"2.0","id":%d,"error":{"code":%[1]d,"message":"m"}}}`, n)
		}, choose(20_000, 300_000)},
		{"progress", func(n int) string {
			if n == 0 {
				return `{"session":"s","message":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"n","_meta":{"progressToken":1}}}}`
			}
			return fmt.Sprintf(`{"session":"s","message":{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":%d,"message":%q}}}`, n, strings.Repeat("p", 200))
		}, choose(40_000, 300_000)},
		{"open calls of one session", func(n int) string {
			return fmt.Sprintf(`{"session":"s",%s}`, request("n", n, strings.Repeat("x", 2000)))
		}, choose(40_000, 300_000)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := startLimited(t)
			answers := &tally{}
			var body strings.Builder
			for n := range tt.n {
				body.WriteString(tt.line(n) + "\n")
				if n%1000 == 999 {
					answers.add(post(c.mcp, []byte(body.String())))
					body.Reset()
				}
			}
			t.Logf("%d in bodies of 1000: answers %v, slowest answer of the health check %v", tt.n, answers.count, c.slowestHealth(t))
			answers.only(t, "202", "429", "503")
			assert.Positive(t, answers.count["202"])
			c.checkResident(t)
			assert.Equal(t, "202", eventuallyAccepted(t, c.mcp), "afterwards")
		})
	}
}
