package messages

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPickIsMember: it finds what [Valid] and [Member] find.
func TestPickIsMember(t *testing.T) {
	names := []string{"a", "b", "é"}
	for _, text := range []string{
		``, `x`, `null`, `1`, `"a"`, `["a"]`, `{}`, `{"a":1}`, ` {"b":{"a":2},"a":"x"} `, `{"a":1,"a":2}`, `{"\u0061":1,"\u00e9":[3]}`,
		`{"a":1`, `{"a":1}x`, `{"a":1} {"b":2}`, `{"a":1,}`, `{"b":[1,2}`, `{"a":null,"b":false}`,
		`{"a":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + `}`,
		`{"a":` + strings.Repeat("[", 1023) + strings.Repeat("]", 1023) + `}`,
		`{"a":` + strings.Repeat("[", 1024) + strings.Repeat("]", 1024) + `}`,
		`{"a":"` + strings.Repeat("x", MaxInput) + `"}`,
	} {
		got := []Value{"old", "old", "old"}
		Pick(text, names, got)
		for i, name := range names {
			require.Equal(t, Member(Valid(text), name), got[i], "%.40s", text)
		}
	}
}

func TestPickAllocatesNothing(t *testing.T) {
	names := []string{"tool_name", "arguments"}
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		var to [2]Value
		Pick(`{"tool_name":"weather","arguments":{"city":"Oslo"}}`, names, to[:])
	}))
}
