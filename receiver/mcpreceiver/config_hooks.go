package mcpreceiver

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
)

// HooksConfig says which sessions agents' hooks are of.
type HooksConfig struct {
	// SessionKey are headers of the requests that keep sessions of the same id apart,
	// as agents::session_key does with attributes.
	SessionKey []string `mapstructure:"session_key"`
	_          struct{}
}

func (c *HooksConfig) check() (errs error) {
	for i, name := range c.headers() {
		switch {
		case name == "" || strings.ContainsFunc(name, func(r rune) bool { return !isToken(r) }):
			errs = errors.Join(errs, fmt.Errorf("hooks::session_key::%d: %q is not the name of a header, such as X-Organization-Id", i, name))
		case identity.IsSecretHeader(name):
			errs = errors.Join(errs, fmt.Errorf("hooks::session_key::%d: %s is a secret, and ids of sessions are shown", i, name))
		}
	}
	return errs
}

// headers are their names in canonical form.
func (c *HooksConfig) headers() []string {
	names := make([]string, len(c.SessionKey))
	for i, name := range c.SessionKey {
		names[i] = http.CanonicalHeaderKey(name)
	}
	return names
}

// isToken reports whether names of headers may have the character (RFC 9110, 5.6.2).
func isToken(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", r)
}
