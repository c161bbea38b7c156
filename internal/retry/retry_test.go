package retry

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var errBusy = errors.New("busy")

func TestDelaysGrowWithJitterUpToTheLongest(t *testing.T) {
	first := map[time.Duration]bool{}
	for range 50 {
		b := New(time.Second, 10*time.Second)
		for _, about := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 8 * time.Second} {
			d := b.Next(errBusy)
			assert.InDelta(t, about, d, jitter*float64(about)+1)
			assert.LessOrEqual(t, d, 10*time.Second)
		}
		b.Reset()
		d := b.Next(errBusy)
		assert.InDelta(t, time.Second, d, jitter*float64(time.Second)+1)
		first[d] = true
	}
	assert.Greater(t, len(first), 1, "clients that failed together do not come back together")
}

func TestADelayThatIsAskedForIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		err := After(errBusy, time.Hour)
		require.ErrorIs(t, err, errBusy)
		assert.Equal(t, "busy", err.Error())
		assert.Equal(t, errBusy, After(errBusy, 0))
		b := New(time.Second, time.Minute)
		assert.Equal(t, time.Hour, b.Next(err))

		began, tries := time.Now(), 0
		require.NoError(t, Do(t.Context(), b, 0, func() error {
			if tries++; tries == 2 {
				return nil
			}
			return err
		}))
		assert.Equal(t, time.Hour, time.Since(began))
	})
}

func TestDo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, tries := New(time.Second, time.Minute), 0
		fail := func() error { tries++; return errBusy }
		require.ErrorIs(t, Do(t.Context(), b, 3, fail), errBusy)
		assert.Equal(t, 3, tries)

		tries = 0
		require.Equal(t, errBusy, Do(t.Context(), b, 0, func() error { return Permanent(fail()) }))
		assert.Equal(t, 1, tries)

		tries = 0
		ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour)
		defer cancel()
		require.ErrorIs(t, Do(ctx, b, 0, fail), context.DeadlineExceeded)
		assert.InDelta(t, 24*60, tries, 24*60/2, "there is no end but the context's")
	})
}

func TestSleepEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		assert.True(t, Sleep(t.Context(), time.Hour))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		assert.False(t, Sleep(ctx, time.Hour))
		assert.False(t, New(time.Hour, time.Hour).Wait(ctx, errBusy))
	})
}
