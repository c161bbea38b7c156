package observer

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// All that one host starts names it alike, and the name does not give the process away.
func TestHostID(t *testing.T) {
	id := HostID()
	assert.Equal(t, id, HostID())
	assert.Regexp(t, "^h-[0-9a-f]{16}$", id)
}
