package inspectorwire

import (
	"encoding/base64"
	"encoding/hex"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

// writer appends JSON. It notes when something cannot be written so that a
// reader gets the same back.
type writer struct {
	b     []byte
	lossy bool
}

func (w *writer) raw(s string) { w.b = append(w.b, s...) }

// key writes the name of a member that needs no escapes; the first of an object
// has no comma before it.
func (w *writer) key(name string) {
	w.next()
	w.b = append(w.b, '"')
	w.raw(name)
	w.b = append(w.b, '"', ':')
}

// next parts a member from the one before it.
func (w *writer) next() {
	if last := w.b[len(w.b)-1]; last != '{' {
		w.b = append(w.b, ',')
	}
}

// id writes a number in hexadecimal.
func (w *writer) id(name, prefix string, id []byte) {
	w.key(name)
	w.b = append(w.b, '"')
	w.raw(prefix)
	w.b = append(hex.AppendEncode(w.b, id), '"')
}

func (w *writer) member(name, value string) {
	w.key(name)
	w.str(value)
}

func (w *writer) int(name string, n int64) {
	w.key(name)
	w.b = strconv.AppendInt(w.b, n, 10)
}

// count writes what is mostly 0, and then not there.
func (w *writer) count(name string, n uint32) {
	if n != 0 {
		w.int(name, int64(n))
	}
}

// comma separates items of an array.
func (w *writer) comma(i int) {
	if i > 0 {
		w.b = append(w.b, ',')
	}
}

const hexDigits = "0123456789abcdef"

// str writes a string; bytes that are not UTF-8 become U+FFFD.
func (w *writer) str(s string) {
	w.b = append(slices.Grow(w.b, len(s)+len(s)/8+2), '"')
	from := 0
	for i := jsonscan.Plain(s); i < len(s); i += jsonscan.Plain(s[i:]) {
		c, size := s[i], 1
		if c >= utf8.RuneSelf {
			var r rune
			if r, size = utf8.DecodeRuneInString(s[i:]); r != utf8.RuneError || size > 1 {
				i += size
				continue
			}
		}
		w.raw(s[from:i])
		w.escape(c)
		i += size
		from = i
	}
	w.raw(s[from:])
	w.b = append(w.b, '"')
}

func (w *writer) escape(c byte) {
	switch {
	case c == '"' || c == '\\':
		w.b = append(w.b, '\\', c)
	case c == '\n':
		w.raw(`\n`)
	case c == '\t':
		w.raw(`\t`)
	case c >= utf8.RuneSelf:
		w.raw("\uFFFD")
	default:
		w.b = append(w.b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
	}
}

// maxNs is the last nanosecond that parseTime takes.
var maxNs = pcommon.Timestamp(time.Date(2261, 12, 31, 23, 59, 59, 999_999_999, time.UTC).UnixNano())

// time writes a time with nanoseconds, the way Python does if they are micros.
func (w *writer) time(name string, t pcommon.Timestamp) {
	if t > maxNs {
		w.lossy = true
		t = maxNs
	}
	layout := "2006-01-02T15:04:05.000000Z"
	if t%1000 != 0 {
		layout = "2006-01-02T15:04:05.000000000Z"
	}
	w.key(name)
	w.b = append(w.b, '"')
	w.b = time.Unix(0, int64(t)).UTC().AppendFormat(w.b, layout) //nolint:gosec // at most maxNs
	w.b = append(w.b, '"')
}

// float always has a point or an exponent: a number without is an integer.
func (w *writer) float(f float64) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		w.lossy = true
		w.str(strconv.FormatFloat(f, 'g', -1, 64))
		return
	}
	from := len(w.b)
	w.b = strconv.AppendFloat(w.b, f, 'g', -1, 64)
	if !strings.ContainsAny(string(w.b[from:]), ".e") {
		w.raw(".0")
	}
}

// attributes writes an object with all pairs.
func (w *writer) attributes(m pcommon.Map) {
	var seen keySet
	w.b = append(w.b, '{')
	for k, v := range m.All() {
		if seen.add(k) {
			w.lossy = true
			continue
		}
		w.next()
		w.str(k)
		w.b = append(w.b, ':')
		w.value(v)
	}
	w.b = append(w.b, '}')
}

func (w *writer) value(v pcommon.Value) {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		w.str(v.Str())
	case pcommon.ValueTypeInt:
		w.b = strconv.AppendInt(w.b, v.Int(), 10)
	case pcommon.ValueTypeDouble:
		w.float(v.Double())
	case pcommon.ValueTypeBool:
		w.b = strconv.AppendBool(w.b, v.Bool())
	case pcommon.ValueTypeMap:
		w.attributes(v.Map())
	case pcommon.ValueTypeSlice:
		w.slice(v.Slice())
	case pcommon.ValueTypeBytes:
		w.lossy = true
		w.str(base64.StdEncoding.EncodeToString(v.Bytes().AsRaw()))
	default:
		w.raw("null")
	}
}

func (w *writer) slice(s pcommon.Slice) {
	w.b = append(w.b, '[')
	for i, v := range s.All() {
		w.comma(i)
		w.value(v)
	}
	w.b = append(w.b, ']')
}
