// Package proxy is a reverse proxy for MCP over HTTP that reports what passes:
// Streamable HTTP of both protocol eras, and the older HTTP+SSE transport.
package proxy

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/internal/observation"
)

// Sink receives records; message is nil for an end and a transport status.
type Sink interface {
	Add(r *observation.Record, message []byte)
	Dropped(around *observation.Record, n int64)
}

// Options say where to and what is known before anything is seen.
type Options struct {
	Target     *url.URL
	Around     observation.Record // Session and Connection for exchanges that have none
	Named      bool               // Around.Session was named by the user: every record has it
	MaxMessage int                // bytes from which on a message is reduced
	Propagate  bool
	Namespace  string
}

// Proxy passes requests on and reports them. It is safe for concurrent use.
type Proxy struct {
	opt      Options
	sink     Sink
	reverse  *httputil.ReverseProxy
	loopback bool
	count    atomic.Int64 // exchanges
	clients  clients      // whose exchanges have no session

	endpoints endpoints // of the older transport
}

// ParseTarget reads the URL of a server.
func ParseTarget(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, fmt.Errorf("--target %q is not an http or https URL, such as http://localhost:3001/mcp", text)
	}
	return u, nil
}

// New makes a proxy. On a loopback address it answers only requests for a
// loopback name: the server behind cannot see for which name a web page asked.
func New(opt Options, sink Sink, loopback bool, problems io.Writer) *Proxy {
	opt.Around.Transport = "http"
	opt.Around.ServerURI = (&url.URL{Scheme: opt.Target.Scheme, Host: opt.Target.Host, Path: opt.Target.Path}).String()
	p := &Proxy{opt: opt, sink: sink, loopback: loopback, clients: clients{first: opt.Around.Session}}
	p.reverse = &httputil.ReverseProxy{
		Rewrite:        p.rewrite,
		ModifyResponse: p.response,
		ErrorHandler:   p.failed,
		ErrorLog:       log.New(problems, "mcptap: ", 0),
		FlushInterval:  -1, // at once
		Transport: &http.Transport{
			Proxy:               http.ProxyFromEnvironment,
			DialContext:         (&net.Dialer{Timeout: 30 * time.Second}).DialContext,
			TLSHandshakeTimeout: 10 * time.Second,
			IdleConnTimeout:     90 * time.Second,
			MaxIdleConnsPerHost: 100,
			DisableCompression:  true, // whether to compress is between the two
			TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12},
			ForceAttemptHTTP2:   true,
		},
	}
	return p
}

// exchangeKey finds the exchange in a request's context.
type exchangeKey struct{}

func exchangeOf(ctx context.Context) *exchange { return ctx.Value(exchangeKey{}).(*exchange) }

// ServeHTTP implements http.Handler.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if p.loopback && !isLoopbackName(r.Host) {
		http.Error(w, "mcptap listens on a loopback address and answers only requests to one", http.StatusForbidden)
		return
	}
	x := p.newExchange(r)
	r = r.WithContext(context.WithValue(r.Context(), exchangeKey{}, x))
	if r.Body != nil && r.Body != http.NoBody {
		x.arriving = &paced{ReadCloser: r.Body, setDeadline: http.NewResponseController(w).SetReadDeadline, begun: time.Now()}
		r.Body = x.arriving
	}
	if r.Method == http.MethodPost && r.Body != nil {
		if x.delivery = deliveryOf(r); p.opt.Propagate && x.delivery == nil { // which is signed
			x.propagate(r)
		} else {
			x.show(r, r.Body)
		}
	}
	for _, name := range added {
		w.Header()[name] = nil
	}
	defer x.over()
	p.reverse.ServeHTTP(w, r)
}

// added are the headers that net/http adds to an answer without them, unless
// they are there and empty.
var added = []string{"Content-Type", "Date"}

func isLoopbackName(hostport string) bool {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = hostport
	}
	if len(host) > 1 && host[0] == '[' {
		host = host[1 : len(host)-1]
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// forwarded are the headers that ReverseProxy removes by default.
var forwarded = []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"}

// rewrite leaves the path as it is, since the older transport has two, but for
// the root, which is the target's.
func (p *Proxy) rewrite(r *httputil.ProxyRequest) {
	target := p.opt.Target
	r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = target.Scheme, target.Host, ""
	if path := r.In.URL.Path; path == "" || path == "/" {
		r.Out.URL.Path, r.Out.URL.RawPath = target.Path, target.RawPath
	}
	if r.Out.URL.RawQuery == "" {
		r.Out.URL.RawQuery = target.RawQuery
	}
	for _, name := range forwarded {
		if values, ok := r.In.Header[name]; ok {
			r.Out.Header[name] = slices.Clone(values)
		}
	}
}

// failed answers when the server could not be asked.
func (p *Proxy) failed(w http.ResponseWriter, r *http.Request, err error) {
	x := exchangeOf(r.Context())
	x.known("")
	defer x.answerEnds()
	if errors.Is(err, context.Canceled) {
		w.WriteHeader(http.StatusBadGateway) // the client has gone
		return
	}
	if x.arriving != nil && x.arriving.late.Load() {
		w.Header().Set("Connection", "close") // the rest of the body would look like a request
		http.Error(w, "the request's body arrives too slowly", http.StatusRequestTimeout)
		return
	}
	status := x.record(observation.Record{TransportStatus: "disconnected"})
	p.add(&status, nil)
	http.Error(w, "mcptap cannot reach the server: "+err.Error(), http.StatusBadGateway)
}

// Close records the end of the sessions of clients whose exchanges have none of
// their own. The proxy must have stopped serving.
func (p *Proxy) Close() {
	if p.opt.Named {
		return // others may be in a session that has a name
	}
	for _, session := range p.clients.sessions() {
		r := p.opt.Around
		r.Session = session
		r.Time = time.Now().UnixNano()
		r.End = observation.End{Present: true, Reason: "closed"}
		p.sink.Add(&r, nil)
	}
}

// add reports a record.
func (p *Proxy) add(r *observation.Record, message []byte) {
	if !p.opt.Named && !r.End.Present {
		p.clients.record(r.Session)
	}
	p.sink.Add(r, message)
}

func (p *Proxy) newExchange(r *http.Request) *exchange {
	x := &exchange{p: p, around: p.opt.Around, pretends: "http://" + r.Host, from: connectionOf(r), kind: kindOf(r)}
	x.around.Connection += "-" + strconv.FormatInt(p.count.Add(1), 10)
	x.headers(r)
	x.requests = x.assembler(observation.ClientToServer)
	return x
}
