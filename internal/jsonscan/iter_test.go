package jsonscan

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMembersAndElements(t *testing.T) {
	for _, c := range []struct{ in, members, elements string }{
		{`{"a":1,"b":{"c":[]},"a":2}`, `a=1 b={"c":[]} a=2 `, ""},
		{`[1,"x",{"a":1}]`, "", `1 "x" {"a":1} `},
		{`{}`, "", ""},
		{`[]`, "", ""},
		{`"text"`, "", ""},
		{``, "", ""},
		{`{"a":1,"b":tru}`, "a=1 ", ""},
		{`[1,tru,2]`, "", "1 "},
	} {
		var members, elements strings.Builder
		for key, m := range Value(c.in).Members() {
			fmt.Fprint(&members, key, "=", m, " ")
		}
		for e := range Value(c.in).Elements() {
			fmt.Fprint(&elements, e, " ")
		}
		require.Equal(t, c.members, members.String(), c.in)
		require.Equal(t, c.elements, elements.String(), c.in)
	}
	for range Value(`{"a":1,"b":2}`).Members() {
		break
	}
	for range Value(`[1,2]`).Elements() {
		break
	}
}
