package otlp

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
)

func with(set func(v pcommon.Value)) Attributes {
	m := pcommon.NewMap()
	set(m.PutEmpty("k"))
	return Of(m)
}

func str(s string) Attributes { return with(func(v pcommon.Value) { v.SetStr(s) }) }

func TestNumbers(t *testing.T) {
	for _, tt := range []struct {
		a       Attributes
		want    int64
		invalid string
	}{
		{with(func(v pcommon.Value) { v.SetInt(7) }), 7, ""},
		{with(func(v pcommon.Value) { v.SetDouble(7.4) }), 7, ""},
		{str("7"), 7, ""},
		{str(" 7.0 "), 7, ""},
		{str("1e3"), 1000, ""},
		{str(""), 0, ""},
		{with(func(pcommon.Value) {}), 0, ""},
		{Of(pcommon.NewMap()), 0, ""},
		{str("x"), 0, "k is not a number"},
		{str("NaN"), 0, "k is not a number"},
		{str("-1"), 0, "k is out of range"},
		{str("+Inf"), 0, "k is out of range"},
		{with(func(v pcommon.Value) { v.SetInt(math.MaxInt64) }), 0, "k is out of range"},
		{with(func(v pcommon.Value) { v.SetInt(-1) }), 0, "k is out of range"},
		{with(func(v pcommon.Value) { v.SetDouble(math.NaN()) }), 0, "k is not a number"},
		{with(func(v pcommon.Value) { v.SetDouble(1e300) }), 0, "k is out of range"},
		{with(func(v pcommon.Value) { v.SetBool(true) }), 0, "k is not a number"},
		{with(func(v pcommon.Value) { v.SetEmptyMap() }), 0, "k is not a number"},
	} {
		assert.Equal(t, tt.want, tt.a.Count("k"))
		assert.Equal(t, tt.invalid, tt.a.Invalid())
	}
}

func TestDurations(t *testing.T) {
	a := str("1.5")
	assert.Equal(t, int64(1500*time.Microsecond), a.Millis("k"))
	assert.Equal(t, int64(1500*time.Millisecond), a.Seconds("k"))
	assert.Equal(t, event.JSON("1.5"), a.MillisText("k"))
	assert.Equal(t, event.JSON(""), a.MillisText("other"))
	a = str("40000000000") // more than a year, in either unit
	assert.Zero(t, a.Millis("k"))
	assert.Zero(t, a.Seconds("k"))
	assert.Empty(t, a.MillisText("k"))
}

func TestBooleans(t *testing.T) {
	for _, tt := range []struct {
		a                   Attributes
		value, known, wrong bool
	}{
		{a: str("true"), value: true, known: true},
		{a: str("false"), known: true},
		{a: with(func(v pcommon.Value) { v.SetBool(true) }), value: true, known: true},
		{a: with(func(v pcommon.Value) { v.SetBool(false) }), known: true},
		{a: str("")},
		{a: with(func(pcommon.Value) {})},
		{a: str("yes"), wrong: true},
		{a: with(func(v pcommon.Value) { v.SetInt(1) }), wrong: true},
	} {
		value, known := tt.a.Bool("k")
		assert.Equal(t, tt.value, value)
		assert.Equal(t, tt.known, known)
		assert.Equal(t, tt.wrong, tt.a.Invalid() != "")
	}
}

func TestTexts(t *testing.T) {
	a := str("x")
	assert.Equal(t, "x", a.Text("k"))
	assert.Equal(t, "x", a.First("k"))
	a = with(func(v pcommon.Value) { v.SetEmptySlice().AppendEmpty().SetStr("y") })
	assert.Equal(t, "y", a.First("k"))
	assert.Empty(t, a.Text("k"))
	assert.Equal(t, "k is not a string", a.Invalid())
	a = with(func(v pcommon.Value) { v.SetEmptySlice().AppendEmpty().SetInt(1) })
	assert.Empty(t, a.First("k"))
	assert.Equal(t, "k is not an array of strings", a.Invalid())
	a = with(func(v pcommon.Value) { v.SetEmptySlice() })
	assert.Empty(t, a.First("k"))
	assert.Empty(t, a.Invalid())
}

func TestTimes(t *testing.T) {
	for text, want := range map[string]int64{
		"2026-09-21T14:13:20.5Z": 1790000000500000000, "": 0, "yesterday": 0, "0001-01-01T00:00:00Z": 0, "9999-01-01T00:00:00Z": 0,
	} {
		a := str(text)
		assert.Equal(t, want, a.Time("k"), text)
		assert.Equal(t, want == 0 && text != "", a.Invalid() != "", text)
	}
	assert.Zero(t, Nanos(math.MaxUint64))
	assert.Zero(t, Before(0, 5))
	assert.Equal(t, int64(1), Before(3, 5))
}

func TestJSON(t *testing.T) {
	for text, want := range map[string]event.JSON{
		`{"a": 1}`: `{"a": 1}`, ` [1] `: `[1]`, `{"a":`: `"{\"a\":"`, `{} {}`: `"{} {}"`, `7`: `"7"`, `true`: `"true"`, ``: ``, `  `: ``,
		"[\"\xff\"]": "\"[\\\"\uFFFD\\\"]\"",
	} {
		a := str(text)
		assert.Equal(t, want, a.JSON("k"), text)
	}
	for want, set := range map[event.JSON]func(v pcommon.Value){
		`{"a":[1,null]}`: func(v pcommon.Value) {
			s := v.SetEmptyMap().PutEmptySlice("a")
			s.AppendEmpty().SetInt(1)
			s.AppendEmpty()
		},
		`7`: func(v pcommon.Value) { v.SetInt(7) }, `7.5`: func(v pcommon.Value) { v.SetDouble(7.5) },
		`true`: func(v pcommon.Value) { v.SetBool(true) }, `"AQI="`: func(v pcommon.Value) { v.SetEmptyBytes().FromRaw([]byte{1, 2}) },
		``: func(v pcommon.Value) { v.SetDouble(math.Inf(1)) },
	} {
		a := with(set)
		assert.Equal(t, want, a.JSON("k"))
	}
	deep := with(func(v pcommon.Value) {
		for range 100 {
			v = v.SetEmptySlice().AppendEmpty()
		}
	})
	assert.Empty(t, deep.JSON("k"))
	assert.Equal(t, "k is nested too deep", deep.Invalid())
}

func TestQuotes(t *testing.T) {
	for _, s := range []string{"plain", `"`, `a\b`, "é\u2028<&>", "\x00\n", "\xff", ""} {
		q := Quote(s)
		require.True(t, json.Valid([]byte(q)), s)
		assert.Equal(t, q, q.Canonical(), "as an id of a hook would be")
	}
	assert.Empty(t, Quoted(""))
	assert.Zero(t, testing.AllocsPerRun(10, func() { _ = plain("plain") }))
}
