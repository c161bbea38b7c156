package stream

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func publish(s *Stream) int64 {
	var got int64
	s.Publish(func(id int64) []byte { got = id; return []byte(strconv.FormatInt(id, 10)) })
	return got
}

// TestReadersGetAllOrAGap: a reader gets each event once, in order, or is told
// that some are gone.
func TestReadersGetAllOrAGap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := New(1, time.UnixMicro(5_000_000))
		next := s.Next()
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			for range rapid.IntRange(0, 400).Draw(t, "published") {
				publish(s)
			}
			limit := rapid.IntRange(0, 500).Draw(t, "read")
			missed := s.Next()-next > Size
			expected, n := next, 0
			if missed {
				expected = s.Next() - Size
			}
			var gap bool
			next, gap = s.From(next, func(id int64, event []byte) bool {
				if n == limit {
					return false
				}
				require.Equal(t, expected, id)
				require.Equal(t, strconv.FormatInt(id, 10), string(event))
				expected++
				n++
				return true
			})
			require.Equal(t, missed, gap)
			require.Equal(t, expected, next)
		}
	})
}

func TestWake(_ *testing.T) {
	s := New(1, time.Now())
	wake := s.Wait()
	publish(s)
	<-wake
	wake = s.Wait()
	s.Rouse()
	<-wake
}

func TestIDsGrowOverRestarts(t *testing.T) {
	now := time.Now()
	s := New(1, now)
	last := publish(s)
	again := New(1, now.Add(time.Second))
	_, gap := again.From(last+1, nil)
	assert.True(t, gap)
}

func TestLimit(t *testing.T) {
	s := New(2, time.Now())
	assert.True(t, s.Enter())
	assert.True(t, s.Enter())
	assert.False(t, s.Enter())
	s.Leave()
	assert.True(t, s.Enter())
	assert.Equal(t, 2, s.Readers())
}
