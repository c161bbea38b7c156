package dialect

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

func TestValueIsWrittenAsItsType(t *testing.T) {
	attr := func(raw any) pcommon.Value {
		v := pcommon.NewValueEmpty()
		require.NoError(t, v.FromRaw(raw))
		return v
	}
	for name, c := range map[string]struct {
		from any
		as   Type
		want any // nil: it cannot be
	}{
		"an integer's text":         {"12", Integer, int64(12)},
		"a double without rest":     {12.0, Integer, int64(12)},
		"a double with a rest":      {12.5, Integer, nil},
		"too large for a double":    {float64(1 << 53), Integer, nil},
		"no number":                 {"twelve", Num, nil},
		"infinity":                  {"+Inf", Num, nil},
		"a number's text":           {"0.25", Num, 0.25},
		"an integer as double":      {int64(2), Num, 2.0},
		"a number as text":          {int64(2), Str, "2"},
		"an array as text":          {[]any{"a"}, Str, nil},
		"a text as list":            {"stop", Strs, []any{"stop"}},
		"JSON as list":              {`["stop","length"]`, Strs, []any{"stop", "length"}},
		"a list":                    {[]any{"stop"}, Strs, []any{"stop"}},
		"whatever it is":            {[]any{int64(1)}, Any, []any{int64(1)}},
		"a boolean, whatever it is": {true, Any, true},
	} {
		t.Run(name, func(t *testing.T) {
			var v Value
			require.True(t, v.SetAttr(attr(c.from)))
			to := Attributes{Map: pcommon.NewMap()}
			assert.Equal(t, c.want != nil, v.Write(c.as, "key", &to))
			assert.Equal(t, c.want, to.AsRaw()["key"])
		})
	}
	var none Value
	assert.False(t, none.SetAttr(attr("")), "an empty text counts as none")
	assert.False(t, none.SetAttr(pcommon.NewValueEmpty()))
	_, ok := none.Int()
	assert.False(t, ok)
	none.SetText("NaN")
	assert.False(t, none.Write(Num, "key", &Attributes{Map: pcommon.NewMap()}))
}

func TestAttributesWithoutLooks(t *testing.T) {
	for name, fast := range map[string]bool{"fast": true, "checked": false} {
		t.Run(name, func(t *testing.T) {
			a := Attributes{Map: pcommon.NewMap()}
			a.PutEmptySlice("list").AppendEmpty().SetInt(1)
			list, _ := a.Get("list")
			var v Value
			require.True(t, v.SetAttr(list))
			if fast {
				a.Begin(3, v.Moved)
			}
			require.True(t, v.Write(Any, "copy", &a))
			a.Keep("text", "some")
			a.Keep("empty", "")
			a.End()
			a.Keep("text", "other")
			assert.Equal(t, map[string]any{"list": []any{int64(1)}, "copy": []any{int64(1)}, "text": "some"}, a.AsRaw())
		})
	}
}
