// Package attribute reads attributes: values of the right kind, ids, names.
package attribute

import (
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

// MaxText is how many bytes of a text are kept.
const MaxText = 500

// Text is a copy, cut to what a row may hold.
func Text(s string) string { return strings.Clone(jsonscan.Cut(s, MaxText)) }

func Str(m pcommon.Map, key string) string {
	if v, ok := m.Get(key); ok && v.Type() == pcommon.ValueTypeStr {
		return v.Str()
	}
	return ""
}

func Int(m pcommon.Map, key string) (int64, bool) {
	v, ok := m.Get(key)
	if !ok {
		return 0, false
	}
	switch v.Type() {
	case pcommon.ValueTypeInt:
		return v.Int(), true
	case pcommon.ValueTypeDouble:
		return int64(v.Double()), true
	}
	return 0, false
}

func Float(m pcommon.Map, key string) (float64, bool) {
	v, ok := m.Get(key)
	if !ok {
		return 0, false
	}
	switch v.Type() {
	case pcommon.ValueTypeInt:
		return float64(v.Int()), true
	case pcommon.ValueTypeDouble:
		return v.Double(), true
	}
	return 0, false
}

// Bool reads a boolean, or its word; ok is false if there is none.
func Bool(m pcommon.Map, key string) (yes, ok bool) {
	v, ok := m.Get(key)
	if !ok {
		return false, false
	}
	yes, err := strconv.ParseBool(v.AsString())
	return yes, err == nil
}

// Set changes a text if there is one.
func Set(to *string, m pcommon.Map, key string) {
	if s := Str(m, key); s != "" && *to != s {
		*to = Text(s)
	}
}

// Amount is a number that is not negative.
func Amount(m pcommon.Map, key string) (int64, bool) {
	n, ok := Int(m, key)
	return max(0, n), ok && n >= 0
}

// MaxCost keeps out what is no amount of money; JSON has no infinity.
const MaxCost = 1e12

func Cost(m pcommon.Map, key string) (float64, bool) {
	usd, ok := Float(m, key)
	if !ok || !(usd >= 0 && usd <= MaxCost) {
		return 0, false
	}
	return usd, true
}

// Any is a value as a text: tokens may be numbers.
func Any(m pcommon.Map, key string) string {
	if v, ok := m.Get(key); ok {
		return v.AsString()
	}
	return ""
}
