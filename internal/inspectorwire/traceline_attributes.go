package inspectorwire

import (
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/xpdata"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

// attributes fills a map from an object that was scanned; any other kind gives
// an empty one. Of a key that comes twice the first one counts.
func attributes(v jsonscan.Value, m pcommon.Map) {
	if !v.IsObject() {
		return
	}
	var c jsonscan.Cursor
	c.ResetText(string(v))
	readMap(&c, m)
}

// readMap and readValue go through the text once, however deep it is.
func readMap(c *jsonscan.Cursor, m pcommon.Map) {
	var seen keySet
	var mb xpdata.MapBuilder
	c.EnterObject()
	for key, ok := c.Key(); ok && c.Err() == nil; key, ok = c.Key() {
		if seen.add(key) {
			c.Value()
		} else {
			readValue(c, mb.AppendEmpty(key))
		}
	}
	mb.UnsafeIntoMap(m)
}

func readValue(c *jsonscan.Cursor, to pcommon.Value) {
	switch c.Peek() {
	case '{':
		readMap(c, to.SetEmptyMap())
	case '[':
		s := to.SetEmptySlice()
		c.EnterArray()
		for c.Next() {
			readValue(c, s.AppendEmpty())
		}
	default:
		scalar(c.Value(), to)
	}
}

func scalar(v jsonscan.Value, to pcommon.Value) {
	switch {
	case v.IsString():
		to.SetStr(v.Str())
	case v.IsNumber():
		number(v, to)
	case v != "" && !v.IsNull():
		to.SetBool(v.IsTrue())
	}
}

// number keeps integers apart from others by their text.
func number(v jsonscan.Value, to pcommon.Value) {
	if !strings.ContainsAny(string(v), ".eE") {
		if n, ok := v.Int(); ok {
			to.SetInt(n)
			return
		}
	}
	f, _ := v.Float()
	to.SetDouble(f)
}

// keySet holds the keys of one object: a few in a list, many in a map.
type keySet struct {
	few  [fewKeys]string
	n    int
	many map[string]struct{}
}

const fewKeys = 24

// add tells whether the key was there already.
func (s *keySet) add(key string) (twice bool) {
	if s.many != nil {
		_, twice = s.many[key]
		s.many[key] = struct{}{}
		return twice
	}
	if slices.Contains(s.few[:s.n], key) {
		return true
	}
	if s.n < fewKeys {
		s.few[s.n] = key
		s.n++
		return false
	}
	s.many = make(map[string]struct{}, 2*fewKeys)
	for _, k := range s.few {
		s.many[k] = struct{}{}
	}
	s.many[key] = struct{}{}
	return false
}
