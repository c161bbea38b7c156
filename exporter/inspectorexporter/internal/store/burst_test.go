package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// running returns a store that writes until the test ends.
func running(t *testing.T, opt Options) *Store {
	t.Helper()
	s, err := Open(opt)
	require.NoError(t, err)
	done := make(chan struct{})
	go func() {
		s.Run(t.Context(), nil)
		close(done)
	}()
	t.Cleanup(func() {
		<-done
		require.NoError(t, s.Close())
	})
	return s
}

// TestBurst: far more lines than may wait come at once, of sessions that end at once. The disk makes senders wait.
func TestBurst(t *testing.T) {
	sessions := 16_000
	if testing.Short() {
		sessions = 2_000
	}
	opt := options(t.TempDir())
	opt.MaxPending = sessions << 10 // 8 times as much comes
	opt.MaxSessions = sessions
	var lost atomic.Int64
	opt.Lost = func(n int) { lost.Add(int64(n)) }
	opt.Failed = func(err error) { t.Error(err) }
	s := running(t, opt)
	line := []byte(strings.Repeat("x", 8<<10) + "\n")
	var senders sync.WaitGroup
	for sender := range 8 {
		senders.Go(func() {
			for n := sender; n < sessions; n += 8 {
				id := fmt.Sprintf("session-%d", n)
				s.Append(id, line)
				s.Finish(id)
			}
		})
	}
	senders.Wait()
	s.Flush()
	assert.Zero(t, lost.Load())
	files, err := filepath.Glob(filepath.Join(opt.Dir, "*"+suffix))
	require.NoError(t, err)
	assert.Equal(t, sessions, len(files)) //nolint:testifylint // Len would print thousands of names
	require.NoError(t, s.Err())
}

// TestHangingDisk: a disk that hangs makes senders wait once, not for ever. What is lost is counted, reported at once
// and then once a minute, and is what Err says until a minute after the last one.
func TestHangingDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opt := options(t.TempDir())
		opt.MaxPending = 2000
		var lost int
		var mu sync.Mutex
		var reports []string
		opt.Lost = func(n int) { lost += n }
		opt.Failed = func(err error) {
			mu.Lock()
			defer mu.Unlock()
			reports = append(reports, fmt.Sprint(err))
		}
		reported := func() int {
			mu.Lock()
			defer mu.Unlock()
			return len(reports)
		}
		s := running(t, opt)
		hanging := make(chan struct{})
		s.dir.toDisk = func(*os.File) error {
			<-hanging
			return nil
		}
		line := []byte(strings.Repeat("x", 999) + "\n")
		s.Append("first", line)
		s.Finish("first")
		synctest.Wait()
		s.Append("second", line)
		require.NoError(t, s.Err())
		began := time.Now()
		for range 1000 {
			s.Append("second", line)
			time.Sleep(100 * time.Millisecond)
		}
		assert.Equal(t, patience+100*time.Second, time.Since(began))
		assert.Equal(t, 1000, lost)
		require.ErrorIs(t, s.Err(), ErrLost)
		assert.Equal(t, 2, reported(), "at once, and a minute later")
		close(hanging)
		time.Sleep(2 * time.Second)
		s.Append("second", line)
		assert.Equal(t, 1000, lost, "the disk works again")
		time.Sleep(lossEvery)
		require.NoError(t, s.Err())
		mu.Lock()
		defer mu.Unlock()
		assert.Equal(t, []string{"session files lack lines: 1000 were lost because the disk does not keep up", "<nil>"}, reports[2:])
	})
}

// TestLossesAreReportedEachMinute, also beside an error of the disk.
func TestLossesAreReportedEachMinute(t *testing.T) {
	c := &clock{time.Now()}
	var reports []string
	o := outcome{now: c.now, report: func(err error) { reports = append(reports, fmt.Sprint(err)) }}
	o.set(errors.New("no space left on device"))
	for range 150 {
		c.t = c.t.Add(time.Second)
		o.lose(2)
		o.check()
	}
	o.set(nil)
	c.t = c.t.Add(lossEvery)
	o.check()
	assert.Equal(t, []string{
		"no space left on device",
		"session files lack lines: 120 were lost: no space left on device",
		"session files lack lines: 240 were lost: no space left on device",
		"<nil>",
	}, reports)
	o.lose(1)
	o.check()
	assert.Equal(t, "session files lack lines: 1 were lost because the disk does not keep up", reports[len(reports)-1])
}
