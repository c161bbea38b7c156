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
		{"[7,{\"a\":1}]", []string{`0: refused`, `{"a":1}`}},
	} {
		var got []string
		n := Items([]byte(tt.body), func(_ int, c *Cursor) error {
			v := c.Value()
			if c.Err() == nil && !v.IsObject() {
				return errors.New("refused")
			}
			if c.Err() == nil {
				got = append(got, string(v))
			}
			return nil
		}, func(i int, err error) {
			var syntax *SyntaxError
			if errors.As(err, &syntax) {
				err = errors.New("syntax")
			}
			got = append(got, fmt.Sprintf("%d: %v", i, err))
		})
		assert.Equal(t, tt.want, got, "%q", tt.body)
		assert.Len(t, tt.want, n, "%q", tt.body)
	}
}
