package body

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCharge(t *testing.T) {
	b := NewBudget(100)
	require.NoError(t, b.charge(0, 60))
	require.NoError(t, b.charge(60, 40), "to the last byte")
	require.ErrorIs(t, b.charge(0, 1), ErrBusy)
	require.ErrorIs(t, b.charge(100, 1), ErrOverBudget, "alone it is too large")
	require.EqualValues(t, 100, b.Used(), "a refusal takes nothing")
	b.release(60)
	require.NoError(t, b.charge(0, 60))
	b.release(100)
	require.Zero(t, b.Used())
}

func TestAdmit(t *testing.T) {
	b := NewBudget(100)
	require.NoError(t, b.charge(0, 60))
	require.NoError(t, b.admit(40))
	require.NoError(t, b.admit(-1), "an unknown length")
	require.ErrorIs(t, b.admit(41), ErrBusy)
	require.ErrorIs(t, b.admit(101), ErrOverBudget)
	require.EqualValues(t, 60, b.Used(), "an announcement takes nothing")
}

func TestChargeDecoding(t *testing.T) {
	b := NewBudget(100)
	require.NoError(t, b.chargeDecoding(0, 30))
	require.ErrorIs(t, b.chargeDecoding(0, 30), ErrBusy, "half is for others")
	require.ErrorIs(t, b.chargeDecoding(30, 30), ErrOverBudget)
	require.NoError(t, b.charge(0, 70))
	require.ErrorIs(t, b.chargeDecoding(0, 10), ErrBusy)
	b.release(70)
	require.NoError(t, b.chargeDecoding(0, 20), "a refusal takes nothing")
	b.releaseDecoding(50)
	require.Zero(t, b.Used())
	require.Zero(t, b.decoding.Used())
	require.NoError(t, (*Budget)(nil).chargeDecoding(0, 10))
}

func TestNoBudget(t *testing.T) {
	var b *Budget
	require.NoError(t, b.admit(1<<60))
	require.NoError(t, b.charge(0, 1<<60))
	b.release(1)
	require.Zero(t, b.Used())
}

func TestChargeConcurrently(t *testing.T) {
	const limit, workers = 1000, 8
	b := NewBudget(limit)
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for held, n := int64(0), int64(1); n < 5000; n++ {
				if b.charge(held, n%37+1) == nil {
					held += n%37 + 1
				} else {
					b.release(held)
					held = 0
				}
				assert.LessOrEqual(t, b.Used(), int64(limit))
				if n == 4999 {
					b.release(held)
				}
			}
		})
	}
	group.Wait()
	require.Zero(t, b.Used())
}

func TestRefusal(t *testing.T) {
	for err, want := range map[error]int{ErrBusy: 429, ErrOverBudget: 413} {
		header := http.Header{}
		status, text, ok := Refusal(header, fmt.Errorf("read: %w", err))
		assert.True(t, ok)
		assert.Equal(t, want, status)
		assert.Contains(t, text, "limits::in_flight_bytes")
		assert.Equal(t, want == 429, header.Get("Retry-After") == "1")
	}
	_, _, ok := Refusal(http.Header{}, http.ErrHandlerTimeout)
	assert.False(t, ok)
}
