package jsonscan

import (
	"encoding/json"
	"iter"
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// Value is the text of one JSON value without surrounding white space, as the
// [Cursor] found it; empty means absent. It aliases the scanned text: what is
// to be kept must be cloned.
type Value string

// IsString tells whether v is a string.
func (v Value) IsString() bool { return v != "" && v[0] == '"' }

// IsObject tells whether v is an object.
func (v Value) IsObject() bool { return v != "" && v[0] == '{' }

// IsArray tells whether v is an array.
func (v Value) IsArray() bool { return v != "" && v[0] == '[' }

// IsNumber tells whether v is a number.
func (v Value) IsNumber() bool { return v != "" && (v[0] == '-' || v[0]-'0' <= 9) }

// IsNull tells whether v is null.
func (v Value) IsNull() bool { return v == "null" }

// IsTrue tells whether v is true.
func (v Value) IsTrue() bool { return v == "true" }

// Str is the content of a string, aliasing v unless v holds an escape; ""
// for any other kind.
func (v Value) Str() string {
	if !v.IsString() || len(v) < 2 {
		return ""
	}
	if strings.IndexByte(string(v), '\\') < 0 {
		return string(v[1 : len(v)-1])
	}
	if s, ok := unescape(string(v[1 : len(v)-1])); ok {
		return s
	}
	var s string
	if json.Unmarshal([]byte(v), &s) != nil {
		return ""
	}
	return s
}

// Canonical is v with a string written as every writer may write it: ids are
// compared as text, and "a\/b" is "a/b".
func (v Value) Canonical() Value {
	if !v.IsString() || strings.IndexByte(string(v), '\\') < 0 {
		return v
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v.Str()) != nil {
		return v
	}
	return Value(strings.TrimSuffix(b.String(), "\n"))
}

// Text is the content of a string, and the text as it stands of any other kind.
func (v Value) Text() string {
	if v.IsString() {
		return v.Str()
	}
	return string(v)
}

// Int is an integer's value; numbers like 1.0 and 1e3 count as integers.
func (v Value) Int() (int64, bool) {
	if !v.IsNumber() {
		return 0, false
	}
	if n, err := strconv.ParseInt(string(v), 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(string(v), 64)
	if err != nil || f != float64(int64(f)) || f >= 1<<63 || f < -1<<63 {
		return 0, false
	}
	return int64(f), true
}

// Float is a number's value.
func (v Value) Float() (float64, bool) {
	if !v.IsNumber() {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(v), 64)
	return f, err == nil
}

// StrLen is the length in bytes of a string's content.
func (v Value) StrLen() int {
	if !v.IsString() {
		return 0
	}
	if strings.IndexByte(string(v), '\\') < 0 {
		return len(v) - 2
	}
	return len(v.Str())
}

// Cut is the longest prefix of s that is at most limit bytes and does not end
// inside a character. Bytes that are not UTF-8 count as characters of their own.
func Cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for n := limit - 1; n >= 0 && n > limit-utf8.UTFMax; n-- {
		if !utf8.RuneStart(s[n]) {
			continue
		}
		if _, size := utf8.DecodeRuneInString(s[n:]); n+size > limit {
			return s[:n]
		}
		break
	}
	return s[:limit]
}

// Plain returns how many bytes at the front of s a JSON string may hold as they are,
// ASCII only: up to the first quote, backslash, control character, or byte
// outside ASCII.
func Plain(s string) int {
	i := 0
	for ; i+8 <= len(s); i += 8 {
		if m := special(wordOf(s[i : i+8])); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
	}
	for i < len(s) && s[i] >= ' ' && s[i] < 0x80 && s[i] != '"' && s[i] != '\\' {
		i++
	}
	return i
}

// wordOf is word of a string.
func wordOf(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// Select returns an object of the members that keep wants, their text as it is, or "" if
// there are none. It returns "" for any other kind of value.
func (v Value) Select(keep func(name string, value Value) bool) Value {
	if !v.IsObject() {
		return ""
	}
	var b strings.Builder
	var c Cursor
	c.Reset([]byte(v))
	c.EnterObject()
	for from := c.Offset(); ; from = c.Offset() {
		name, ok := c.Key()
		if !ok {
			break
		}
		value := c.Value()
		if c.Err() != nil {
			break
		}
		if !keep(name, value) {
			continue
		}
		b.WriteByte(separator(&b))
		b.WriteString(strings.TrimLeft(string(c.Slice(from)), ", \t\r\n"))
	}
	if b.Len() == 0 {
		return ""
	}
	b.WriteByte('}')
	return Value(b.String())
}

func separator(b *strings.Builder) byte {
	if b.Len() == 0 {
		return '{'
	}
	return ','
}

// Merge returns an object of the members of both, those of other where a name is in both.
func (v Value) Merge(other Value) Value {
	if v == "" || other == "" {
		return v + other
	}
	names := map[string]bool{}
	other.Select(func(name string, _ Value) bool {
		names[name] = true
		return false
	})
	rest := v.Select(func(name string, _ Value) bool { return !names[name] })
	if rest == "" {
		return other
	}
	return rest[:len(rest)-1] + "," + Value(strings.TrimLeft(string(other[1:]), " \t\r\n"))
}

// Items walks the items of a body: one value, an array of them, or any number
// of either one after another, as in NDJSON:
//
//	var items Items
//	items.Reset(body)
//	for items.Next() {
//		err := items.Done(decode(items.Cursor()))
//		…
//	}
//
// A syntax error costs the line on which the item begins: what follows is read
// as if nothing had been. Inside an array it costs the rest of the line on which
// it was noticed, since the array may be all on one. A body that breaks again
// and again far behind where its items begin is read at most twice.
type Items struct {
	c       Cursor
	n       int
	from    int // where the item began
	again   int // bytes that may yet be read twice
	inArray bool
}

// Reset starts anew with a body.
func (w *Items) Reset(body []byte) {
	*w = Items{again: len(body)}
	w.c.Reset(body)
}

// Cursor stands at the item; the caller must consume it. If the text broke
// before the item could begin, the cursor has an error already.
func (w *Items) Cursor() *Cursor { return &w.c }

// Index is the item's number, from 0; after the last, Index()+1 items were seen.
func (w *Items) Index() int { return w.n - 1 }

// Next moves to the next item, false at the end of the body.
func (w *Items) Next() bool {
	for {
		if w.inArray && !w.nextElement() {
			continue
		}
		if !w.inArray && w.c.Err() == nil {
			if w.c.End() {
				return false
			}
			w.from = w.c.Offset()
			if w.c.Peek() == '[' {
				w.c.EnterArray()
				w.inArray = true
				continue
			}
		}
		w.n++
		return true
	}
}

// nextElement is false at the array's end; a broken array counts as one item
// more.
func (w *Items) nextElement() bool {
	if w.c.Next() {
		return true
	}
	if w.c.Err() != nil {
		return true
	}
	w.inArray = false
	return false
}

// Done ends the item. err is why it could not be decoded; what Done returns is
// why it cannot be taken, nil if it can.
func (w *Items) Done(err error) error {
	if w.c.Err() == nil {
		return err
	}
	err = w.c.Err()
	if w.again -= w.c.Offset() - w.from; w.inArray || w.again < 0 {
		w.from = w.c.Offset()
	}
	w.inArray = false
	w.c.SkipLine(w.from)
	return err
}

// ResetText is [Cursor.Reset] for a text, which is not copied: a cursor never writes.
func (c *Cursor) ResetText(text string) { c.Reset(unsafe.Slice(unsafe.StringData(text), len(text))) }

// Members returns the members of an object in their order; any other value has none.
func (v Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		if !v.IsObject() {
			return
		}
		var c Cursor
		c.ResetText(string(v))
		c.EnterObject()
		for key, ok := c.Key(); ok; key, ok = c.Key() {
			if m := c.Value(); c.Err() != nil || !yield(key, m) {
				return
			}
		}
	}
}

// Elements returns the elements of an array in their order; any other value has none.
func (v Value) Elements() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		if !v.IsArray() {
			return
		}
		var c Cursor
		c.ResetText(string(v))
		for c.EnterArray(); c.Next(); {
			if e := c.Value(); c.Err() != nil || !yield(e) {
				return
			}
		}
	}
}
