package otlp

import (
	"math"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
)

// What is beyond these is a mistake of the sender rather than a measurement.
const (
	maxCount    = 1 << 50
	maxDuration = 366 * 24 * time.Hour
	maxCost     = 1e9 // US dollars
)

// Attributes reads attributes that agents send in more than one type: numbers
// and booleans as strings too. A value that cannot be used is as good as absent,
// and is mentioned by Invalid.
type Attributes struct {
	m       pcommon.Map
	invalid string
}

// Of reads the attributes of a record, a span or an event of one.
func Of(m pcommon.Map) Attributes { return Attributes{m: m} }

// Invalid is why the first value that could not be used is wrong, "" if all
// could be.
func (a *Attributes) Invalid() string { return a.invalid }

func (a *Attributes) wrong(key, why string) {
	if a.invalid == "" {
		a.invalid = key + " " + why
	}
}

// Has reports whether there is such an attribute.
func (a *Attributes) Has(key string) bool {
	_, ok := a.m.Get(key)
	return ok
}

// Text is a string, "" if there is none.
func (a *Attributes) Text(key string) string {
	v, ok := a.m.Get(key)
	if !ok || v.Type() == pcommon.ValueTypeEmpty {
		return ""
	}
	if v.Type() != pcommon.ValueTypeStr {
		a.wrong(key, "is not a string")
		return ""
	}
	return v.Str()
}

// First is the first string of an array, or the string that stands for one.
func (a *Attributes) First(key string) string {
	v, ok := a.m.Get(key)
	if !ok || v.Type() != pcommon.ValueTypeSlice {
		return a.Text(key)
	}
	if v.Slice().Len() == 0 {
		return ""
	}
	if v = v.Slice().At(0); v.Type() != pcommon.ValueTypeStr {
		a.wrong(key, "is not an array of strings")
		return ""
	}
	return v.Str()
}

// Bool is a boolean; known is false if there is none.
func (a *Attributes) Bool(key string) (value, known bool) {
	v, ok := a.m.Get(key)
	if !ok || v.Type() == pcommon.ValueTypeEmpty {
		return false, false
	}
	if v.Type() == pcommon.ValueTypeBool {
		return v.Bool(), true
	}
	if v.Type() == pcommon.ValueTypeStr {
		switch v.Str() {
		case "true":
			return true, true
		case "false":
			return false, true
		case "":
			return false, false
		}
	}
	a.wrong(key, "is not a boolean")
	return false, false
}

// Count is a number of things, 0 if there is none.
func (a *Attributes) Count(key string) int64 {
	n, _ := a.Counted(key)
	return n
}

// Counted is a number of things; known is false if there is none.
func (a *Attributes) Counted(key string) (n int64, known bool) {
	f, known := a.number(key, maxCount)
	return int64(math.Round(f)), known
}

// MillisText is a duration sent in milliseconds, as a number of JSON.
func (a *Attributes) MillisText(key string) event.JSON {
	f, known := a.number(key, float64(maxDuration/time.Millisecond))
	if !known {
		return ""
	}
	return Decimal(f)
}

// Millis is a duration sent in milliseconds, in nanoseconds.
func (a *Attributes) Millis(key string) int64 { return a.duration(key, time.Millisecond) }

// Seconds is a duration sent in seconds, in nanoseconds.
func (a *Attributes) Seconds(key string) int64 { return a.duration(key, time.Second) }

func (a *Attributes) duration(key string, unit time.Duration) int64 {
	f, _ := a.number(key, float64(maxDuration/unit))
	return int64(math.Round(f * float64(unit)))
}

// Cost is an amount of US dollars; known is false if there is none.
func (a *Attributes) Cost(key string) (dollars float64, known bool) { return a.number(key, maxCost) }

// number is a number from 0 to the limit.
func (a *Attributes) number(key string, limit float64) (float64, bool) {
	v, ok := a.m.Get(key)
	if !ok {
		return 0, false
	}
	var f float64
	switch v.Type() {
	case pcommon.ValueTypeInt:
		f = float64(v.Int())
	case pcommon.ValueTypeDouble:
		f = v.Double()
	case pcommon.ValueTypeStr:
		if v.Str() == "" {
			return 0, false
		}
		var err error
		if f, err = strconv.ParseFloat(strings.TrimSpace(v.Str()), 64); err != nil {
			f = math.NaN()
		}
	case pcommon.ValueTypeEmpty:
		return 0, false
	default:
		f = math.NaN()
	}
	switch {
	case math.IsNaN(f):
		a.wrong(key, "is not a number")
	case f < 0 || f > limit:
		a.wrong(key, "is out of range")
	default:
		return f, true
	}
	return 0, false
}

// Time is a time of RFC 3339 in Unix ns, 0 if there is none.
func (a *Attributes) Time(key string) int64 {
	text := a.Text(key)
	if text == "" {
		return 0
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || t.Year() < 1970 || t.Year() > 2261 {
		a.wrong(key, "is not a time")
		return 0
	}
	return t.UnixNano()
}

// Quoted is a string as JSON, "" if it is absent or empty.
func (a *Attributes) Quoted(key string) event.JSON { return Quoted(a.Text(key)) }

// JSON returns an attribute's value as JSON: objects and arrays as they were sent,
// also those in a string; any other string is quoted.
func (a *Attributes) JSON(key string) event.JSON {
	v, ok := a.m.Get(key)
	if !ok {
		return ""
	}
	switch v.Type() {
	case pcommon.ValueTypeEmpty:
		return ""
	case pcommon.ValueTypeStr:
		return Embedded(v.Str())
	case pcommon.ValueTypeMap, pcommon.ValueTypeSlice:
		if !shallow(v, maxDepth) {
			a.wrong(key, "is nested too deep")
			return ""
		}
		return event.JSON(v.AsString())
	case pcommon.ValueTypeDouble:
		if math.IsNaN(v.Double()) || math.IsInf(v.Double(), 0) {
			a.wrong(key, "is not a number")
			return ""
		}
	case pcommon.ValueTypeBytes:
		return Quote(v.AsString())
	}
	return event.JSON(v.AsString())
}

// maxDepth limits the nesting of maps and arrays in an attribute.
const maxDepth = 64

func shallow(v pcommon.Value, depth int) bool {
	if depth == 0 {
		return false
	}
	switch v.Type() {
	case pcommon.ValueTypeMap:
		for _, inner := range v.Map().All() {
			if !shallow(inner, depth-1) {
				return false
			}
		}
	case pcommon.ValueTypeSlice:
		for _, inner := range v.Slice().All() {
			if !shallow(inner, depth-1) {
				return false
			}
		}
	}
	return true
}
