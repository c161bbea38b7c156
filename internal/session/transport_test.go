package session

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestEndReason(t *testing.T) {
	for reason, want := range map[string]string{
		"finished": "finished", "idle": "idle", "evicted": "evicted", "shutdown": "shutdown",
		"closed": "closed", "": "closed", "SIGKILL": "closed", "max_spans": "closed",
	} {
		assert.Equal(t, want, endReason(reason), "%q", reason)
	}
}
