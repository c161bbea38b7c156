package events

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// A list that is read between a look at it and the wait for news is no news missed.
func TestNewsBeforeTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &source{Settings: Settings{Delivery: everyWay[:]}, fresh: make(chan struct{})}
		modes, fresh := src.modes("x")
		assert.Empty(t, modes)
		src.know(map[string][]string{"x": {Push}})
		assert.True(t, waitFor(t.Context(), fresh, time.Hour))
		modes, fresh = src.modes("x")
		assert.Equal(t, []string{Push}, modes)
		assert.False(t, waitFor(t.Context(), fresh, time.Hour))
	})
}
