// Package value is the value of a fact: an attribute, or a text or number that was
// found out.
package value

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

// source is where a value is from.
type source uint8

const (
	isAttr source = iota + 1
	isText
	isInt
)

// Of is the value of an attribute.
func Of(attr pcommon.Value) Value { return Value{attr: attr, is: isAttr} }

// Text is a text.
func Text(text string) Value { return Value{text: text, is: isText} }

// Int is a number.
func Int(n int64) Value { return Value{num: n, is: isInt} }

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
	switch v.is {
	case isText:
		return v.text
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

// Write puts the value into an attribute of the type. It reports whether it could.
func (v *Value) Write(t Type, key string, to pcommon.Map) bool {
	switch t {
	case Integer:
		n, ok := v.Int()
		if ok {
			to.PutInt(key, n)
		}
		return ok
	case Num:
		return v.writeNum(key, to)
	case Strs:
		return v.writeStrs(key, to)
	case Str:
		text := v.Text()
		if text != "" {
			to.PutStr(key, text)
		}
		return text != ""
	}
	if v.is == isAttr && v.attr.Type() != pcommon.ValueTypeStr {
		v.attr.CopyTo(to.PutEmpty(key))
		return true
	}
	to.PutStr(key, v.Text())
	return true
}

func (v *Value) writeNum(key string, to pcommon.Map) bool {
	if v.is == isAttr && v.attr.Type() == pcommon.ValueTypeDouble {
		to.PutDouble(key, v.attr.Double())
		return true
	}
	d, err := strconv.ParseFloat(v.Text(), 64)
	if err != nil || math.IsNaN(d) || math.IsInf(d, 0) {
		return false
	}
	to.PutDouble(key, d)
	return true
}

// What is read of an array of strings in JSON.
const (
	maxStrs     = 256     // strings
	maxStrsJSON = 1 << 16 // bytes
)

func (v *Value) writeStrs(key string, to pcommon.Map) bool {
	if v.is == isAttr && v.attr.Type() == pcommon.ValueTypeSlice {
		v.attr.CopyTo(to.PutEmpty(key))
		return true
	}
	text := v.Text()
	if text == "" {
		return false
	}
	var list []string
	if text[0] != '[' || len(text) > maxStrsJSON || json.Unmarshal([]byte(text), &list) != nil || len(list) > maxStrs {
		list = append(list[:0], text)
	}
	slice := to.PutEmptySlice(key)
	for _, one := range list {
		slice.AppendEmpty().SetStr(one)
	}
	return true
}
