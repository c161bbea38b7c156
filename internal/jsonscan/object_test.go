package jsonscan

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSelect(t *testing.T) {
	not := func(unwanted string) func(string, Value) bool {
		return func(name string, v Value) bool { return name != unwanted && !v.IsNull() }
	}
	for in, want := range map[Value]Value{
		`{"a": 1 , "b" : {"c":[ 1, 2]},"d":null}`: `{"b" : {"c":[ 1, 2]}}`,
		`{"a":1}`:                       "",
		`{}`:                            "",
		`[1]`:                           "",
		"":                              "",
		"{\n\t\"b\": 1.0,\n\"a\": 2\n}": `{"b": 1.0}`,
		`{"\u0061":1,"caf\u00e9":"\/"}`: `{"caf\u00e9":"\/"}`,
	} {
		assert.Equal(t, want, in.Select(not("a")), in)
	}
}

func TestMerge(t *testing.T) {
	for _, tc := range [][3]Value{
		{`{"a":1}`, `{"b":2}`, `{"a":1,"b":2}`},
		{`{"a":1,"b":1}`, `{ "a":2}`, `{"b":1,"a":2}`},
		{`{"a":1}`, `{"a":2}`, `{"a":2}`},
		{"", `{"a":2}`, `{"a":2}`},
		{`{"a":1}`, "", `{"a":1}`},
	} {
		assert.Equal(t, tc[2], tc[0].Merge(tc[1]))
	}
}
