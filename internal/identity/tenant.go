package identity

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Tenant begins the keys of a tenant's sessions: each value that tells the tenant apart, in
// their order, and a slash behind each. Slashes in values are escaped, so that no two tenants
// can have a session in common. The zero value is that of all who are not told apart.
type Tenant struct{ key strings.Builder }

// Add adds a value, "" if it is not known.
func (t *Tenant) Add(value string) {
	t.key.WriteString(url.PathEscape(value))
	t.key.WriteByte('/')
}

// String returns the key.
func (t *Tenant) String() string { return t.key.String() }

// secretHeaders usually hold a secret. The ids of sessions are shown, and settings of agents
// are not the place for one.
var secretHeaders = []string{
	"Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "X-Api-Key", "Api-Key", "Apikey", "X-Auth-Token",
	"X-Access-Token", "Private-Token",
}

// IsSecretHeader reports whether a header of that name, in any case, must not identify a tenant.
func IsSecretHeader(name string) bool {
	return slices.Contains(secretHeaders, http.CanonicalHeaderKey(name))
}
