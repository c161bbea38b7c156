package proxy

import (
	"bytes"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/frame"
	"github.com/otelcol-mcp/otelcol-mcp/internal/observation"
)

// response looks at what the server answers.
func (p *Proxy) response(r *http.Response) error {
	x := exchangeOf(r.Request.Context())
	x.mu.Lock()
	x.answers.status = r.StatusCode
	x.mu.Unlock()
	x.known(r.Header.Get("Mcp-Session-Id"))
	if x.body != nil && !x.body.isRead() {
		// The server answers before it has read all. Unless the connection is to
		// end with the answer, net/http reads the rest of the request before it
		// writes one, away from the server.
		r.Header.Set("Connection", "close")
	}
	good := r.StatusCode >= 200 && r.StatusCode < 300
	if r.Request.Method == http.MethodDelete && good {
		x.ends()
		return nil
	}
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if x.delivery != nil {
		kind = "" // the answer to a delivery holds no messages
	}
	switch replies := x.assembler(observation.ServerToClient); kind {
	case "application/json":
		x.watch(r, replies.Part, func() {
			replies.End()
			x.missed(replies.Lost)
			x.answerEnds()
		})
	case "text/event-stream":
		x.watchEvents(r, replies)
	default:
		r.Body = &tee{ReadCloser: r.Body, length: -1, part: func([]byte) {}, end: x.answerEnds}
	}
	return nil
}

// missed counts messages of the response that could not be read.
func (x *exchange) missed(n int64) {
	if n > 0 {
		x.mu.Lock()
		x.answers.missed = true
		x.mu.Unlock()
	}
	x.lost(n)
}

// ends records that the session is over.
func (x *exchange) ends() {
	if x.hasSession {
		end := x.record(observation.Record{End: observation.End{Present: true, Reason: "closed"}})
		x.p.sink.Add(&end, nil)
	}
}

func (x *exchange) watchEvents(r *http.Response, replies *frame.Assembler) {
	var endpoint *url.URL // if the stream is one of the older transport
	s := &events{messages: replies}
	s.endpoint = func(text string) {
		u, err := r.Request.URL.Parse(text)
		if err != nil || r.Request.Method != http.MethodGet || endpoint != nil {
			return
		}
		x.mu.Lock()
		defer x.mu.Unlock()
		endpoint = u
		x.enter(x.p.endpoints.add(u))
		x.around.Transport = "sse"
	}
	if r.Request.Method == http.MethodGet && r.Header.Get("Content-Encoding") == "" {
		r.Body = &redirected{ReadCloser: r.Body, from: origin(x.p.opt.Target), to: x.pretends}
	}
	x.watch(r, s.write, func() {
		x.missed(replies.Lost)
		x.mu.Lock()
		x.answers.resumable = s.hasID
		x.mu.Unlock()
		x.answerEnds()
		if endpoint != nil {
			x.p.endpoints.remove(endpoint)
			x.ends()
		}
	})
}

func origin(u *url.URL) string { return u.Scheme + "://" + u.Host }

// watch shows the decoded body to part while the client reads it.
func (x *exchange) watch(r *http.Response, part func([]byte), end func()) {
	encoding := strings.ToLower(r.Header.Get("Content-Encoding"))
	if encoding == "" || encoding == "identity" {
		r.Body = &tee{ReadCloser: r.Body, length: -1, part: part, end: end}
		return
	}
	unpack := unpackers[encoding]
	if unpack == nil {
		x.missed(1) // no client asks for such a coding
		r.Body = &tee{ReadCloser: r.Body, length: -1, part: func([]byte) {}, end: x.answerEnds}
		return
	}
	feed, wait := unpacked(unpack, part)
	r.Body = &tee{ReadCloser: r.Body, length: -1, part: feed, end: func() {
		if wait() != nil {
			x.missed(1)
		}
		end()
	}}
}

// redirected keeps a client of the older transport with us when the server
// tells it an endpoint with its own origin: clients insist that it is the one
// that they asked.
type redirected struct {
	io.ReadCloser
	from, to string
	done     bool
	rest     []byte
}

// Read implements io.Reader.
func (r *redirected) Read(p []byte) (int, error) {
	if len(r.rest) > 0 {
		n := copy(p, r.rest)
		r.rest = r.rest[n:]
		return n, nil
	}
	n, err := r.ReadCloser.Read(p)
	if r.done || n == 0 {
		return n, err
	}
	r.done = true // it is in the first bytes
	if !bytes.HasPrefix(bytes.TrimSpace(p[:n]), []byte("event: endpoint")) && !bytes.HasPrefix(p[:n], []byte("event:endpoint")) {
		return n, err
	}
	changed := strings.Replace(string(p[:n]), r.from+"/", r.to+"/", 1)
	n = copy(p, changed)
	r.rest = []byte(changed[n:])
	return n, err
}
