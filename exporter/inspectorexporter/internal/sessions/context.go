package sessions

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/attribute"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Context is what fills the context window of a session's agent, now and in the
// course of time.
type Context struct {
	Tokens *Tokens `json:"tokens,omitempty"`
	Spark  []Point `json:"tokens_spark,omitempty"`
}

// Tokens is how full the context of the agent host is.
type Tokens struct {
	Used    int64   `json:"used"`
	Limit   int64   `json:"limit,omitempty"`
	Percent float64 `json:"percent,omitempty"`
}

// Point is one of the sparkline.
type Point struct {
	Time Time  `json:"time"`
	Used int64 `json:"used"`
}

// Filled takes what a host tells of its context, whatever carries it.
func (c *Context) Filled(at Time, m pcommon.Map) {
	used, ok := attribute.Int(m, mcpconv.HostTokensUsed)
	if !ok || used < 0 {
		return
	}
	t := Tokens{Used: used}
	if c.Tokens != nil {
		t.Limit = c.Tokens.Limit
	}
	if limit, ok := attribute.Int(m, mcpconv.HostTokensLimit); ok && limit > 0 {
		t.Limit = limit
	}
	if share, ok := attribute.Float(m, mcpconv.HostTokensShare); ok && share >= 0 && share <= math.MaxInt32 { // JSON has no infinity
		t.Percent = share
	} else if t.Limit > 0 {
		t.Percent = percent(used, t.Limit)
	}
	c.Tokens = &t
	c.spark(at, used)
}

// maxPoints is how many points a sparkline has.
const maxPoints = 60

// spark adds a point in the order of time, unless nothing changed at it; when there are too
// many every other one goes.
func (c *Context) spark(at Time, used int64) {
	i, found := slices.BinarySearchFunc(c.Spark, at, func(p Point, at Time) int { return cmp.Compare(p.Time, at) })
	switch {
	case found:
		c.Spark[i].Used = used
		return
	case i > 0 && c.Spark[i-1].Used == used:
		return
	case i < len(c.Spark) && c.Spark[i].Used == used:
		c.Spark[i].Time = at
		return
	}
	if len(c.Spark) == maxPoints {
		half := c.Spark[:0]
		for i := 0; i < maxPoints; i += 2 {
			half = append(half, c.Spark[i])
		}
		c.Spark = half
		i = (i + 1) / 2
	}
	c.Spark = slices.Insert(c.Spark, i, Point{at, used})
}

// percent is of the limit, rounded to two digits.
func percent(used, limit int64) float64 {
	f, _ := strconv.ParseFloat(strconv.FormatFloat(float64(used)/float64(limit)*100, 'f', 2, 64), 64)
	return f
}
