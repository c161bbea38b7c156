package facts

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
