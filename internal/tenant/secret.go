package tenant

import (
	"net/http"
	"slices"
)

// secrets are headers that usually have a secret. The ids of sessions are shown, and
// settings of agents are not the place for one.
var secrets = []string{
	"Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "X-Api-Key", "Api-Key", "Apikey", "X-Auth-Token",
	"X-Access-Token", "Private-Token",
}

// IsSecret reports whether a header of that name, written in any case, must tell no
// tenant.
func IsSecret(header string) bool { return slices.Contains(secrets, http.CanonicalHeaderKey(header)) }
