package body

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func request(body io.Reader, announced int64) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/", body)
	r.ContentLength = announced
	return r
}

// TestRead reads bodies of many sizes, whatever is announced.
func TestRead(t *testing.T) {
	for _, size := range []int{0, 1, smallest - 1, smallest, smallest + 1, atOnce - 1, atOnce, 100_000, KeepBytes - 1, KeepBytes, 3 * KeepBytes} {
		want := bytes.Repeat([]byte("0123456789abcdef"), size/16+1)[:size]
		for _, announced := range []int64{-1, int64(size)} {
			for name, reader := range map[string]io.Reader{
				"at once":         bytes.NewReader(want),
				"in halves":       iotest.HalfReader(bytes.NewReader(want)),
				"end with a byte": iotest.DataErrReader(bytes.NewReader(want)),
			} {
				t.Run(fmt.Sprintf("%d of %d %s", size, announced, name), func(t *testing.T) {
					budget := NewBudget(4 * KeepBytes)
					got, err := Read(request(reader, announced), budget, 0)
					require.NoError(t, err)
					require.True(t, bytes.Equal(want, got.Bytes()))
					require.EqualValues(t, size, budget.Used())
					got.Recycle()
					require.Zero(t, budget.Used())
				})
			}
		}
	}
}

// TestHeld measures what a client makes the server hold when it announces much and
// then sends slowly.
func TestHeld(t *testing.T) {
	for _, announced := range []int64{-1, 100, 10_000, 1_000_000, 1 << 40} {
		b := obtain(start(announced))
		require.LessOrEqual(t, cap(b.data), atOnce, announced)
		for cap(b.data) < 3*KeepBytes && (announced < 0 || cap(b.data) <= int(announced)) {
			b.data = b.data[:cap(b.data)]
			arrived := len(b.data)
			b.grow(announced)
			require.Len(t, b.data, arrived)
			require.Greater(t, cap(b.data), arrived)
			require.LessOrEqual(t, cap(b.data), 2*arrived)
		}
	}
}

// TestHeldIsReserved: a large body gets more at once, as far as the budget has room
// for half of it.
func TestHeldIsReserved(t *testing.T) {
	for _, c := range []struct {
		limit, announced, want int64
	}{
		{64 * KeepBytes, 1 << 40, largeStep * KeepBytes},
		{64 * KeepBytes, 3 * KeepBytes, 3*KeepBytes + 1},
		{3 * KeepBytes, 1 << 40, 2 * KeepBytes}, // as without
		{64 * KeepBytes, -1, 2 * KeepBytes},
	} {
		b := obtain(KeepBytes)
		b.budget = NewBudget(c.limit)
		b.data = b.data[:cap(b.data)]
		require.NoError(t, b.reserve(int64(len(b.data))))
		b.grow(c.announced)
		assert.EqualValues(t, c.want, cap(b.data))
		assert.GreaterOrEqual(t, 2*b.budget.Used(), c.want-1)
		assert.LessOrEqual(t, b.budget.Used(), c.limit)
		b.Recycle()
		assert.Zero(t, b.budget.Used())
	}
}

func TestReleaseKeepsTheBytes(t *testing.T) {
	budget := NewBudget(100)
	b, err := Read(request(strings.NewReader("text"), 4), budget, 0)
	require.NoError(t, err)
	b.Release()
	require.Zero(t, budget.Used())
	require.Equal(t, "text", string(b.Bytes()))
}

// TestNothingIsKept holds for every way in which reading fails.
func TestNothingIsKept(t *testing.T) {
	broken := errors.New("broken")
	long := strings.Repeat("x", 50_000)
	for name, tt := range map[string]struct {
		body      io.Reader
		announced int64
		want      error
	}{
		"broken":                       {io.MultiReader(strings.NewReader(long), iotest.ErrReader(broken)), -1, broken},
		"too large for the budget":     {strings.NewReader(long + long), -1, ErrOverBudget},
		"announced over the budget":    {strings.NewReader(""), 1 << 40, ErrOverBudget},
		"no room":                      {strings.NewReader(long[:30_000]), -1, ErrBusy},
		"no room for what's announced": {strings.NewReader(""), 30_000, ErrBusy},
	} {
		t.Run(name, func(t *testing.T) {
			budget := NewBudget(60_000)
			if errors.Is(tt.want, ErrBusy) {
				other, err := Read(request(strings.NewReader(long[:40_000]), -1), budget, 0)
				require.NoError(t, err)
				defer func() {
					require.EqualValues(t, 40_000, budget.Used())
					other.Recycle()
					require.Zero(t, budget.Used())
				}()
			}
			before := budget.Used()
			_, err := Read(request(tt.body, tt.announced), budget, 0)
			require.ErrorIs(t, err, tt.want)
			require.Equal(t, before, budget.Used())
		})
	}
}

// TestAnnouncedTooLong: what an endpoint does not take is neither read nor given
// room, whoever announces it.
func TestAnnouncedTooLong(t *testing.T) {
	const most = 3 * KeepBytes
	for announced, refused := range map[int64]bool{most - 1: false, most: false, most + 1: true, 100 * KeepBytes: true, 1 << 40: true} {
		budget := NewBudget(1 << 50)
		sent := &counting{Reader: strings.NewReader(strings.Repeat("x", 2*KeepBytes))}
		b, err := Read(request(sent, announced), budget, most)
		if !refused {
			require.NoError(t, err, announced)
			b.Recycle()
			continue
		}
		var tooLarge *http.MaxBytesError
		require.ErrorAs(t, err, &tooLarge, announced)
		assert.EqualValues(t, most, tooLarge.Limit)
		assert.Zero(t, sent.n, "bytes read of %d", announced)
		assert.Zero(t, budget.Used())
	}
}

// TestPanic panics in a decompressor.
func TestPanic(t *testing.T) {
	budget := NewBudget(100)
	require.Panics(t, func() {
		_, _ = Read(request(io.MultiReader(strings.NewReader("text"), panicking{}), -1), budget, 0)
	})
	require.Zero(t, budget.Used())
}

type panicking struct{}

func (panicking) Read([]byte) (int, error) { panic("damaged") }

// TestNotReadFurther stops a client that has no room.
func TestNotReadFurther(t *testing.T) {
	body := &counting{Reader: strings.NewReader(strings.Repeat("x", 1<<20))}
	_, err := Read(request(body, -1), NewBudget(10_000), 0)
	require.ErrorIs(t, err, ErrOverBudget)
	assert.LessOrEqual(t, body.n, 20_000)
}

type counting struct {
	io.Reader
	n int
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += n
	return n, err
}

func BenchmarkRead(b *testing.B) {
	for _, size := range []int{300, 10_000, 60_000, 400_000} {
		text := strings.Repeat("x", size)
		b.Run(strconv.Itoa(size), func(b *testing.B) {
			b.ReportAllocs()
			budget := NewBudget(1 << 30)
			for b.Loop() {
				r := &http.Request{Body: io.NopCloser(strings.NewReader(text)), ContentLength: int64(size)}
				got, err := Read(r, budget, 0)
				if err != nil {
					b.Fatal(err)
				}
				got.Recycle()
			}
		})
	}
}
