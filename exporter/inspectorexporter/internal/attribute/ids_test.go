package attribute

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestIDsThatNameAFile(t *testing.T) {
	for _, own := range []string{"a", "_", "0", "s-1", "CONSOLE", "com10", "nul_", "a-", strings.Repeat("a", 128)} {
		id, original := ID(own)
		assert.Equal(t, own, id)
		assert.Empty(t, original)
	}
	for _, own := range []string{
		"-", "-rf", "--help", "CON", "con", "Prn", "AUX", "nul", "COM1", "com9", "lpt0", "LPT3", "", ".", "a.b", "a/b", "ü", strings.Repeat("a", 129),
	} {
		id, original := ID(own)
		assert.Regexp(t, "^x-[0-9a-f]{32}$", id, own)
		assert.Equal(t, own, original)
	}
}

// The session that the receiver makes of a trace and the spans of the trace, which name no
// session, are one.
func TestIDsOfTraces(t *testing.T) {
	const trace = "5b8efff798038103d269b633813fc60c"
	id, original := ID("trace:" + trace)
	assert.Equal(t, trace, id)
	assert.Empty(t, original)
	for _, own := range []string{"trace:", "trace:x", "trace:" + trace + "0", "trace:5B8EFFF798038103D269B633813FC60C"} {
		id, _ := ID(own)
		assert.Regexp(t, "^x-", id, own)
	}
}
