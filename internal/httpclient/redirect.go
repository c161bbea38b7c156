// Package httpclient keeps the secrets of HTTP clients with the servers that they are
// for: credentials when a server redirects, and what URLs hold in logs and errors. It
// needs the standard library only.
package httpclient

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// mostRedirects bounds the redirects of one request.
const mostRedirects = 5

// Errors of a request that was not redirected. They are wrapped.
var (
	ErrRedirectOrigin = errors.New("a redirect to another origin is not followed, since credentials would go along: if it is right, set the endpoint to that address")
	ErrRedirectMethod = errors.New("a redirect that drops the request's body is not followed: set the endpoint to the address that the server redirects to")
	ErrRedirectLoop   = fmt.Errorf("the server redirected the request more than %d times: check the endpoint", mostRedirects)
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
		return fmt.Errorf("%w (%s to %s)", ErrRedirectOrigin, origin(first.URL), origin(next.URL))
	case next.Method != first.Method:
		return ErrRedirectMethod
	case len(via) > mostRedirects:
		return ErrRedirectLoop
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
