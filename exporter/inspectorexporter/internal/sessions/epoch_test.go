package sessions

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A session that is told a second time, with the same times or earlier ones, ends
// a second time too.
func TestTheNextEpochEndsNoLater(t *testing.T) {
	for _, end := range []int{6, 4, 8} {
		b, _ := board(10)
		for _, give := range []item{
			span("s", "session.start", 2, 1, 0, 0),
			span("s", "workflow.run", 1, 0, 0, 6, "mcp.session.end_reason", "closed"),
			span("s", "session.start", 4, 3, 0, 0, "mcp.session.epoch", 2),
			span("s", "workflow.run", 1, 0, 0, 6, "mcp.session.end_reason", "closed"), // the former one, again
		} {
			give(b)
		}
		assert.Zero(t, row(t, b, "s").EndedAt, "it runs again")
		span("s", "workflow.run", 3, 0, 0, end, "mcp.session.end_reason", "closed", "mcp.session.epoch", 2)(b)
		assert.NotZero(t, row(t, b, "s").EndedAt)
	}
}
