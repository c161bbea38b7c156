// Package server reads from URIs where servers are.
package server

import (
	"net/url"
	"strconv"
	"unicode/utf8"
)

// Server is where a server is. What is not known is zero.
type Server struct {
	URI     string // without the parts that may be secret
	Address string // a host name, or an IP address
	Port    uint16
}

// Of is what a URI says. Strings may alias it.
func Of(uri string) Server {
	u, err := url.Parse(uri)
	if err != nil || uri == "" {
		return Server{}
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		u.User, u.RawQuery, u.Fragment = nil, "", ""
		uri = u.String()
	}
	s := Server{URI: uri}
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

// Last remembers the last URI, since most calls go where the one before went. It is
// not safe for concurrent use.
type Last struct {
	uri    string
	server Server
}

// longest is how long a URI may be that is remembered.
const longest = 1024

// Of is [Of], without work for the URI of the last time. It keeps the URI.
func (l *Last) Of(uri string) Server {
	switch {
	case uri == "":
		return Server{}
	case len(uri) > longest:
		return Of(uri)
	case uri != l.uri:
		l.uri, l.server = uri, Of(uri)
	}
	return l.server
}
