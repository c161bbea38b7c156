package sessions

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// TestSparkIsInTheOrderOfTime: records come in any order and may come twice, and a point is
// where the fill changed.
func TestSparkIsInTheOrderOfTime(t *testing.T) {
	filled := func(points ...Point) []Point {
		var c Context
		for _, p := range points {
			m := pcommon.NewMap()
			m.PutInt(mcpconv.HostTokensUsed, p.Used)
			c.Filled(p.Time, m)
		}
		return c.Spark
	}
	want := []Point{{1, 10}, {3, 30}, {5, 50}}
	assert.Equal(t, want, filled(Point{1, 10}, Point{3, 30}, Point{5, 50}))
	assert.Equal(t, want, filled(Point{5, 50}, Point{1, 10}, Point{3, 30}), "out of order")
	assert.Equal(t, want, filled(Point{1, 10}, Point{3, 30}, Point{1, 10}, Point{5, 50}, Point{3, 30}, Point{5, 50}), "twice")
	assert.Equal(t, want, filled(Point{1, 10}, Point{4, 30}, Point{5, 50}, Point{3, 30}, Point{2, 10}), "unchanged")
	assert.Equal(t, want, filled(Point{1, 10}, Point{3, 20}, Point{3, 30}, Point{5, 50}), "the later one of a time counts")
}
