package intake

import (
	"context"
	"time"
)

// Wait lets d pass; it is false when ctx is done before.
func Wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
