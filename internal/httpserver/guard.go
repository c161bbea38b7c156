package httpserver

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"go.opentelemetry.io/collector/config/confighttp"
)

// Guard keeps web pages out: a server on localhost is within reach of any page
// that a browser on the machine shows, directly or by DNS rebinding.
type Guard struct {
	// Loopback is true when the server listens on a loopback address only: then
	// requests must be made to a loopback name.
	Loopback bool
	// Refuse answers 403 and says why; a line of text if it is nil.
	Refuse func(w http.ResponseWriter, why string)
	// Origins lists the origins that CORS lets in, with * for any part.
	Origins []string
}

// NewGuard guards the server of cfg that listens on addr.
func NewGuard(addr net.Addr, cfg *confighttp.ServerConfig) Guard {
	g := Guard{Origins: Origins(cfg)}
	if tcp, ok := addr.(*net.TCPAddr); ok {
		g.Loopback = tcp.IP.IsLoopback()
	}
	return g
}

// Origins returns those that the configuration of CORS lets in, nil without one.
func Origins(cfg *confighttp.ServerConfig) []string {
	if cfg.CORS.HasValue() {
		return cfg.CORS.Get().AllowedOrigins
	}
	return nil
}

// Wrap answers 403 to requests of a foreign Origin or to a foreign Host.
func (g Guard) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case g.Loopback && !loopbackName(r.Host):
			g.refuse(w, "the Host header does not name this machine: this server listens on a loopback address, use localhost")
		case !g.originAllowed(r):
			g.refuse(w, "this Origin is not allowed: add it to http::cors::allowed_origins")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

func (g Guard) refuse(w http.ResponseWriter, why string) {
	if g.Refuse != nil {
		g.Refuse(w, why)
		return
	}
	http.Error(w, why, http.StatusForbidden)
}

func loopbackName(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.TrimSuffix(strings.ToLower(strings.Trim(host, "[]")), ".")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// originAllowed lets through what has no Origin, as all but browsers, the
// server's own, and what CORS allows.
func (g Guard) originAllowed(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	if u, err := url.Parse(origin); err == nil && u.Host != "" && strings.EqualFold(u.Host, r.Host) {
		return true
	}
	for _, allowed := range g.Origins {
		if matches(strings.TrimSuffix(strings.ToLower(allowed), "/"), strings.ToLower(origin)) {
			return true
		}
	}
	return false
}

// matches compares as CORS does: one * stands for any text.
func matches(pattern, origin string) bool {
	before, after, wild := strings.Cut(pattern, "*")
	if !wild {
		return pattern == origin
	}
	return len(origin) >= len(before)+len(after) && strings.HasPrefix(origin, before) && strings.HasSuffix(origin, after)
}
