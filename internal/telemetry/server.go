package telemetry

import (
	"net/url"
	"strconv"
	"unicode/utf8"
)

// serverEndpoint is the address of a server. Unknown fields are zero.
type serverEndpoint struct {
	URI     string // without the parts that may be secret
	Address string // a host name, or an IP address
	Port    uint16
}

// serverOf reads the endpoint from a URI. Strings may alias it.
func serverOf(uri string) serverEndpoint {
	u, err := url.Parse(uri)
	if err != nil || uri == "" {
		return serverEndpoint{}
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		u.User, u.RawQuery, u.Fragment = nil, "", ""
		uri = u.String()
	}
	s := serverEndpoint{URI: uri}
	if host := u.Hostname(); host != "" && utf8.ValidString(host) { // unescaped: it may be anything
		s.Address, s.Port = host, portOf(u)
	}
	return s
}

// portOf is the port of a URI, or that of its scheme; 0 if it is not known.
func portOf(u *url.URL) uint16 {
	if port, err := strconv.ParseUint(u.Port(), 10, 16); err == nil {
		return uint16(port)
	}
	switch u.Scheme {
	case "http", "ws", "sse":
		return 80
	case "https", "wss":
		return 443
	}
	return 0
}

// serverCache remembers the last URI, since most calls go where the one before went. It is
// not safe for concurrent use.
type serverCache struct {
	uri    string
	server serverEndpoint
}

// cachedURIMax is the length of the longest URI that is remembered.
const cachedURIMax = 1024

// Of returns [serverOf] of the URI, without work for the URI of the last time. It keeps the URI.
func (l *serverCache) Of(uri string) serverEndpoint {
	switch {
	case uri == "":
		return serverEndpoint{}
	case len(uri) > cachedURIMax:
		return serverOf(uri)
	case uri != l.uri:
		l.uri, l.server = uri, serverOf(uri)
	}
	return l.server
}
