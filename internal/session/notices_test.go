package session

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Seconds are those of the messages: two notifications of a second pass here.
func TestFloods(t *testing.T) {
	tx, s, _ := begun(t)
	for _, c := range []struct {
		at     int64
		floods bool
	}{{second, false}, {second + 1, false}, {second + 2, true}, {second + 3, true}, {2 * second, false}} {
		assert.Equal(t, c.floods, tx.rules.notices.floods(s, envelope(c.at)), c.at)
	}
	assert.Equal(t, map[string]int64{Flood: 2, FloodBegins: 1}, tx.Counts())
}
