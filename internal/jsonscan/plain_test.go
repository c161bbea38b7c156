package jsonscan

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestPlain puts each byte at each place of texts of several lengths.
func TestPlain(t *testing.T) {
	for length := range 20 {
		text := strings.Repeat("~", length)
		assert.Equal(t, length, Plain(text))
		for at := range length {
			for c := range 256 {
				want := length
				if c < ' ' || c >= 0x80 || c == '"' || c == '\\' {
					want = at
				}
				assert.Equal(t, want, Plain(text[:at]+string([]byte{byte(c)})+text[at+1:]), "byte %d at %d of %d", c, at, length)
			}
		}
	}
}
