package jsonrpc

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

func TestMember(t *testing.T) {
	for object, want := range map[jsonscan.Value]jsonscan.Value{
		`{"a":1}`:             "1",
		`{"b":{"a":1}}`:       "",
		`{"a":1,"a":null}`:    "null",
		`{"\u0061":[1]}`:      "[1]",
		`[{"a":1}]`:           "",
		`"a"`:                 "",
		``:                    "",
		`{"x":"a","a":"{\""}`: `"{\""`,
	} {
		assert.Equal(t, want, Member(object, "a"), object)
	}
}

func TestFirst(t *testing.T) {
	for array, want := range map[jsonscan.Value]jsonscan.Value{
		`[1,2]`: "1", `[]`: "", `{"a":1}`: "", ``: "", `[[null]]`: "[null]",
	} {
		assert.Equal(t, want, First(array), array)
	}
}

func TestFill(t *testing.T) {
	const object = `{"a":1,"b":2,"a":null}`
	var a jsonscan.Value
	field := func(name string) *jsonscan.Value {
		if name == "a" {
			return &a
		}
		return nil
	}
	Fill(object, field)
	assert.Equal(t, jsonscan.Value("null"), a)
	FillPresent(object, field)
	assert.Equal(t, jsonscan.Value("1"), a)
	Fill(`["a"]`, field)
	assert.Equal(t, jsonscan.Value("1"), a)
}

func TestReadingValuesAgainDoesNotAllocate(t *testing.T) {
	object := jsonscan.Value(`{"a":{"b":[1]},"c":"d"}`)
	var a jsonscan.Value
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		Fill(object, func(name string) *jsonscan.Value {
			if name == "c" {
				return &a
			}
			return nil
		})
		a = First(Member(Member(object, "a"), "b"))
	}))
	assert.Equal(t, jsonscan.Value("1"), a)
}

func TestFirstWrong(t *testing.T) {
	for v, want := range map[jsonscan.Value]string{"1": "", "1e3": "", "null": "", "": "", "1.5": "no integer", `"1"`: "no integer"} {
		assert.Equal(t, want, FirstWrong([]Typed{{v, IsInteger, "no integer"}, {v, IsInteger, "another"}}), v)
	}
	assert.Equal(t, "no boolean", FirstWrong([]Typed{{"true", IsBoolean, ""}, {"0", IsBoolean, "no boolean"}}))
}
