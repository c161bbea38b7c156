package tenant

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestKey(t *testing.T) {
	for want, values := range map[string][]string{
		"": nil, "/": {""}, "a/": {"a"}, "a/b/": {"a", "b"}, "//": {"", ""}, "a%2Fb/": {"a/b"}, "/b/": {"", "b"}, "%C3%A9%20x/": {"é x"},
	} {
		var k Key
		for _, v := range values {
			k.Add(v)
		}
		assert.Equal(t, want, k.String())
	}
}

func TestIsSecret(t *testing.T) {
	for name, want := range map[string]bool{"authorization": true, "X-API-Key": true, "cookie": true, "X-Organization-Id": false} {
		assert.Equal(t, want, IsSecret(name), name)
	}
}
