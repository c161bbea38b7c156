package telemetry

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestServersAreBounded: neither addresses nor ports of one address are without limit,
// and of a server beyond it all else is still told.
func TestServersAreBounded(t *testing.T) {
	for name, at := range map[string]func(int) serverEndpoint{
		"addresses": func(i int) serverEndpoint { return serverEndpoint{Address: "h" + strconv.Itoa(i), Port: 80} },
		"ports":     func(i int) serverEndpoint { return serverEndpoint{Address: "localhost", Port: uint16(1 + i)} },
	} {
		t.Run(name, func(t *testing.T) {
			m := NewMeter(&Options{}, 3, time.Unix(1, 0))
			for i := range 9 {
				var s Samples
				l := s.next(clientOperation, 1)
				l.values[labelMethod] = "m"
				l.at(at(i))
				m.Add(&s)
				m.Add(&s)
			}
			require.Len(t, m.durations, 4)
			for l, h := range m.durations {
				assert.Equal(t, "m", l.values[labelMethod])
				if l.values[labelAddress] == OtherName {
					assert.Zero(t, l.port)
					assert.EqualValues(t, 12, h.n)
				} else {
					assert.NotZero(t, l.port)
					assert.EqualValues(t, 2, h.n)
				}
			}
		})
	}
}

// TestSeriesAreBounded: the more series there are, the less a new one says; beyond the
// limit it says that it is of all others.
func TestSeriesAreBounded(t *testing.T) {
	m := NewMeter(&Options{}, 3, time.Unix(1, 0))
	add := func(of durationKind, i int) {
		var s Samples
		l := s.next(of, 1)
		for _, name := range durationMetrics[of].labels {
			l.values[name] = OtherName // they are bounded one by one
		}
		l.values[durationMetrics[of].mark()] = strconv.Itoa(i % 3)
		l.values[labelTransport] = strconv.Itoa(i) // stands for what makes many combinations
		l.at(serverEndpoint{Address: "h", Port: 80})
		m.Add(&s)
	}
	for i := range 100 {
		add(clientOperation, i)
	}
	require.Len(t, m.durations, 31)
	known := 0
	for l := range m.durations {
		if l.port != 0 {
			known++
		}
	}
	require.Equal(t, 15, known, "half of the series know their servers")
	for of := range durationMetrics {
		add(durationKind(of), 0)
		add(durationKind(of), 1000)
	}
	for of := range durationMetrics {
		rest := durationLabels{of: durationKind(of)}
		rest.values[durationMetrics[of].mark()] = OtherName
		require.NotNil(t, m.durations[rest], durationMetrics[of].name)
	}
	require.Len(t, m.durations, 30+len(durationMetrics))
}
