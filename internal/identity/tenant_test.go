package identity

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTenantKey(t *testing.T) {
	for want, values := range map[string][]string{
		"": nil, "/": {""}, "a/": {"a"}, "a/b/": {"a", "b"}, "//": {"", ""}, "a%2Fb/": {"a/b"}, "/b/": {"", "b"}, "%C3%A9%20x/": {"é x"},
	} {
		var k Tenant
		for _, v := range values {
			k.Add(v)
		}
		assert.Equal(t, want, k.String())
	}
}

func TestIsSecretHeader(t *testing.T) {
	for name, want := range map[string]bool{"authorization": true, "X-API-Key": true, "cookie": true, "X-Organization-Id": false} {
		assert.Equal(t, want, IsSecretHeader(name), name)
	}
}
