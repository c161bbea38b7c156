package jsonscan

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestItems(t *testing.T) {
	for _, tt := range []struct {
		body string
		want []string
	}{
		{``, nil},
		{" \n ", nil},
		{`[]`, nil},
		{`{"a":1}`, []string{`{"a":1}`}},
		{"{\"a\":1}\n\n {\"b\":\n2}\n", []string{`{"a":1}`, "{\"b\":\n2}"}},
		{`[{"a":1}, {"b":2}]`, []string{`{"a":1}`, `{"b":2}`}},
		{"[{\"a\":1}]\n{\"b\":2}", []string{`{"a":1}`, `{"b":2}`}},
		{"{bad}\n{\"b\":2}", []string{`0: syntax`, `{"b":2}`}},
		{"{\"a\":1}\n\x00\n7\n{\"b\":2}", []string{`{"a":1}`, `1: syntax`, `2: refused`, `{"b":2}`}},
		{"[{\"a\":1},bad,{\"b\":2}]\n{\"c\":3}", []string{`{"a":1}`, `1: syntax`, `{"c":3}`}},
		{"[{\"a\":1}", []string{`{"a":1}`, `1: syntax`}},
		{"[{\"a\":1} {\"b\":2}]\n{\"c\":3}", []string{`{"a":1}`, `1: syntax`, `{"c":3}`}},
		{"{\"a\":1}\n{\"b\":\n{\"c\":3}", []string{`{"a":1}`, `1: syntax`, `{"c":3}`}},
		{"[7,{\"a\":1}]", []string{`0: refused`, `{"a":1}`}},
	} {
		var got []string
		var items Items
		items.Reset([]byte(tt.body))
		for items.Next() {
			v := items.Cursor().Value()
			var refused error
			if !v.IsObject() {
				refused = errors.New("refused")
			}
			err := items.Done(refused)
			var syntax *SyntaxError
			switch {
			case errors.As(err, &syntax):
				got = append(got, fmt.Sprintf("%d: syntax", items.Index()))
			case err != nil:
				got = append(got, fmt.Sprintf("%d: %v", items.Index(), err))
			default:
				got = append(got, string(v))
			}
		}
		assert.Equal(t, tt.want, got, "%q", tt.body)
		assert.Len(t, tt.want, items.Index()+1, "%q", tt.body)
	}
}
