package dialect

import (
	"encoding/json"
	"math"
	"strconv"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// Value is one value. The zero value is none. It may alias an attribute.
type Value struct {
	attr pcommon.Value
	text string
	num  int64
	is   source
}

// source is where a value is.
type source uint8

const (
	isAttr source = iota + 1 // neither a text nor an integer
	isText
	isInt
)

// SetAttr makes it the value of an attribute. An empty one counts as none: then it
// stays what it was, and false is returned.
//
// It and the other setters write only the member that counts: a span has many facts,
// and to write all members of each is a good part of what it costs.
func (v *Value) SetAttr(attr pcommon.Value) bool {
	if text := attr.Str(); text != "" {
		v.SetText(text)
		return true
	}
	switch attr.Type() {
	case pcommon.ValueTypeStr, pcommon.ValueTypeEmpty:
		return false
	case pcommon.ValueTypeInt:
		v.SetInt(attr.Int())
	default:
		v.attr, v.is = attr, isAttr
	}
	return true
}

// SetText makes it a text.
func (v *Value) SetText(text string) { v.text, v.is = text, isText }

// SetInt makes it a number.
func (v *Value) SetInt(n int64) { v.num, v.is = n, isInt }

// Type is the type of an attribute's value.
type Type uint8

// The types of values. What cannot be converted to the type is not written.
const (
	Any     Type = iota // as it is
	Str                 // a string; numbers and booleans become one
	Integer             // also from its text or from a number without fraction
	Num                 // a double, also from its text
	Strs                // an array of strings, also from one string or its JSON
)

// Text is the value as a text; "" for none, an array, a map or bytes.
func (v *Value) Text() string {
	if v.is == isText {
		return v.text
	}
	return v.notText()
}

// notText is apart so that Text is inlined.
func (v *Value) notText() string {
	switch v.is {
	case isInt:
		return strconv.FormatInt(v.num, 10)
	case isAttr:
		return TextOf(v.attr)
	}
	return ""
}

// TextOf is an attribute as a text; "" for an array, a map or bytes.
func TextOf(attr pcommon.Value) string {
	switch attr.Type() {
	case pcommon.ValueTypeStr:
		return attr.Str()
	case pcommon.ValueTypeInt, pcommon.ValueTypeDouble, pcommon.ValueTypeBool:
		return attr.AsString()
	}
	return ""
}

// JSON is the value as JSON, or as the text that it is; arrays and maps are encoded.
func (v *Value) JSON() string {
	if v.is == isAttr {
		switch v.attr.Type() {
		case pcommon.ValueTypeSlice, pcommon.ValueTypeMap:
			return v.attr.AsString()
		}
	}
	return v.Text()
}

// Int is the value as an integer.
func (v *Value) Int() (int64, bool) {
	switch v.is {
	case isInt:
		return v.num, true
	case isText:
		n, err := strconv.ParseInt(v.text, 10, 64)
		return n, err == nil
	case isAttr:
		return intOf(v.attr)
	}
	return 0, false
}

// exact is up to where a double holds every integer.
const exact = 1 << 53

func intOf(attr pcommon.Value) (int64, bool) {
	switch attr.Type() {
	case pcommon.ValueTypeInt:
		return attr.Int(), true
	case pcommon.ValueTypeDouble:
		d := attr.Double()
		if d != math.Trunc(d) || math.Abs(d) >= exact {
			return 0, false
		}
		return int64(d), true
	case pcommon.ValueTypeStr:
		n, err := strconv.ParseInt(attr.Str(), 10, 64)
		return n, err == nil
	}
	return 0, false
}

// IsAttr reports whether the value aliases an attribute.
func (v *Value) IsAttr() bool { return v.is == isAttr }

// Moved makes a value that aliases an attribute alias what the attribute has become.
func (v *Value) Moved(from, to pcommon.Value) {
	if v.is == isAttr && v.attr == from {
		v.attr = to
	}
}

// Write adds an attribute of the type. It reports whether it could.
func (v *Value) Write(t Type, key string, to *Attributes) bool {
	switch t {
	case Integer:
		n, ok := v.Int()
		if ok {
			to.Add(key).SetInt(n)
		}
		return ok
	case Num:
		return v.writeNum(key, to)
	case Strs:
		return v.writeStrs(key, to)
	case Str:
		text := v.Text()
		if text != "" {
			to.Add(key).SetStr(text)
		}
		return text != ""
	}
	switch v.is {
	case isAttr:
		v.attr.CopyTo(to.Add(key))
	case isInt:
		to.Add(key).SetInt(v.num)
	default:
		to.Add(key).SetStr(v.text)
	}
	return true
}

func (v *Value) writeNum(key string, to *Attributes) bool {
	if v.is == isAttr && v.attr.Type() == pcommon.ValueTypeDouble {
		to.Add(key).SetDouble(v.attr.Double())
		return true
	}
	if v.is == isInt {
		to.Add(key).SetDouble(float64(v.num))
		return true
	}
	d, err := strconv.ParseFloat(v.Text(), 64)
	if err != nil || math.IsNaN(d) || math.IsInf(d, 0) {
		return false
	}
	to.Add(key).SetDouble(d)
	return true
}

// What is read of an array of strings in JSON.
const (
	maxStrs     = 256     // strings
	maxStrsJSON = 1 << 16 // bytes
)

func (v *Value) writeStrs(key string, to *Attributes) bool {
	if v.is == isAttr && v.attr.Type() == pcommon.ValueTypeSlice {
		v.attr.CopyTo(to.Add(key))
		return true
	}
	text := v.Text()
	if text == "" {
		return false
	}
	slice := to.Add(key).SetEmptySlice()
	list, ok := listOf(text)
	if !ok {
		slice.AppendEmpty().SetStr(text)
	}
	for _, one := range list {
		slice.AppendEmpty().SetStr(one)
	}
	return true
}

// listOf is an array of strings in JSON. It reports whether the text is one.
func listOf(text string) (list []string, ok bool) {
	if text[0] != '[' || len(text) > maxStrsJSON || json.Unmarshal([]byte(text), &list) != nil || len(list) > maxStrs {
		return nil, false
	}
	return list, true
}
