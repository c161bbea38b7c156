// Package redirect keeps the credentials of an HTTP client with the server that
// they are for. It needs the standard library only.
package redirect

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// most is how many redirects one request may follow.
const most = 5

// Errors of a request that was not redirected. They are wrapped.
var (
	ErrOrigin = errors.New("a redirect to another origin is not followed, since credentials would go along: if it is right, set the endpoint to that address")
	ErrMethod = errors.New("a redirect that drops the request's body is not followed: set the endpoint to the address that the server redirects to")
	ErrLoop   = fmt.Errorf("the server redirected the request more than %d times: check the endpoint", most)
)

// SameOrigin is a CheckRedirect of [http.Client]. It follows up to 5 redirects
// within the scheme, host and port of the first request, with its method, and
// refuses others, before anything is sent to them.
//
// Headers that a RoundTripper adds, as those of confighttp do with configured
// headers and authenticators, are beyond what net/http takes away by itself when
// the host changes.
func SameOrigin(next *http.Request, via []*http.Request) error {
	first := via[0]
	switch {
	case !strings.EqualFold(origin(first.URL), origin(next.URL)):
		return fmt.Errorf("%w (%s to %s)", ErrOrigin, origin(first.URL), origin(next.URL))
	case next.Method != first.Method:
		return ErrMethod
	case len(via) > most:
		return ErrLoop
	}
	return nil
}

// origin is the scheme, host and port, without what an address says beyond that,
// which may be a secret.
func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		switch strings.ToLower(u.Scheme) {
		case "http":
			port = "80"
		case "https":
			port = "443"
		}
	}
	return fmt.Sprintf("%s://%s:%s", u.Scheme, strings.TrimSuffix(u.Hostname(), "."), port)
}
