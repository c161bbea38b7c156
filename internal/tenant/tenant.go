// Package tenant keeps sessions of the same id apart that are of different tenants.
package tenant

import (
	"net/url"
	"strings"
)

// Key begins the keys of a tenant's sessions: each value that tells the tenant apart, in
// their order, and a slash behind each. Slashes in values are escaped, so that no two tenants
// can have a session in common. The zero value is that of all who are not told apart.
type Key struct{ text strings.Builder }

// Add adds a value, "" if it is not known.
func (k *Key) Add(value string) {
	k.text.WriteString(url.PathEscape(value))
	k.text.WriteByte('/')
}

// String is the key.
func (k *Key) String() string { return k.text.String() }
