package truncate

import (
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

// copyRatio is the factor by which a value must be longer than its cut for the cut to
// be copied.
const copyRatio = 4

// cutPrefix copies the cut of a very long value, so that a queue of cut values
// does not keep the whole ones in memory.
func cutPrefix(s string, limit int) string {
	head := jsonscan.Cut(s, limit)
	if len(s) > copyRatio*len(head) {
		return strings.Clone(head)
	}
	return head
}

func cutJSON(s string, limit int) string {
	if head, ok := closedPrefix(s, limit); ok {
		return head
	}
	return cutPrefix(s, limit)
}
