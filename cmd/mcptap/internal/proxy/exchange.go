package proxy

import (
	"bytes"
	"cmp"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/frame"
	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/observer"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/observation"
)

// exchange is one request and its response. Body and response are read by
// goroutines of their own.
type exchange struct {
	p        *Proxy
	requests *frame.Assembler
	arriving *paced // the request's body, nil if it has none
	body     *tee   // of the request, nil if it is not observed while it is read
	pretends string // the origin under which the client knows the server

	from *connection
	kind string // of the client

	mu         sync.Mutex
	around     observation.Record
	hasSession bool   // the exchange said in which session it is
	asked      bool   // which client it is from
	requestID  string // as the headers have it
	injected   int64  // time of the request from which its context was derived, 0 if it has none of ours
	parent     string
	state      string
	last       int64
	held       []held // wait for the session to be known
	answers    answers
	early      early
	answered   bool      // the response began, or there is none
	delivery   *delivery // nil unless the request is a webhook delivery
}

// held is a record whose session is not known yet.
type held struct {
	record  observation.Record
	message []byte
}

// headers reads what surrounds the messages.
func (x *exchange) headers(r *http.Request) {
	x.requestID = r.Header.Get("X-Mcp-Request-Id")
	x.parent, x.state = r.Header.Get("Traceparent"), r.Header.Get("Tracestate")
	if id := r.Header.Get("Mcp-Session-Id"); id != "" {
		x.enter(id)
		x.around.MCPSessionID = id
	} else if id := x.p.endpoints.of(r.URL); id != "" && r.Method == http.MethodPost {
		x.enter(id)
		x.around.Transport = "sse"
		x.answers.elsewhere = true
	} else if !x.p.opt.Named {
		x.around.Session = x.p.clients.current(x.from, x.kind)
	}
}

// sentBy finds out which client sent the first message, if no session says that.
// The session that an initialize begins is in the response.
func (x *exchange) sentBy(m *frame.Message) {
	if !x.hasSession && !x.p.opt.Named && !x.asked {
		x.asked = true
		x.around.Session = x.p.clients.of(x.from, x.kind, m)
	}
}

// enter says in which session the exchange is. Its messages share their ids
// with those of the session's other exchanges.
func (x *exchange) enter(session string) {
	x.hasSession = true
	x.around.Connection = x.p.opt.Around.Connection + "-" + session
	if !x.p.opt.Named {
		x.around.Session = session
	}
}

// known lets go of what was held, once the response named the session or there
// is none.
func (x *exchange) known(session string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.answered = true
	if session != "" && !x.hasSession {
		x.enter(session)
		x.around.MCPSessionID = session
	}
	for _, h := range x.held {
		frame.Parse(h.message, x.sentBy)
		h.record.Session, h.record.Connection, h.record.MCPSessionID = x.around.TraceOf(), x.around.Connection, x.around.MCPSessionID
		x.p.add(&h.record, h.message)
	}
	x.held = nil
}

// assembler finds the messages of one direction.
func (x *exchange) assembler(direction string) *frame.Assembler {
	return frame.NewAssembler(x.p.opt.MaxMessage, func(m *frame.Message) { x.observe(direction, m) })
}

// record is the next one, with what is known around it.
func (x *exchange) record(r observation.Record) observation.Record {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.next(r)
}

func (x *exchange) next(r observation.Record) observation.Record {
	own := r
	r = x.around
	x.last = max(time.Now().UnixNano(), x.last+1)
	r.Time = x.last
	r.Direction, r.TransportStatus, r.End = own.Direction, own.TransportStatus, own.End
	r.Unanswered, r.HTTPStatus = own.Unanswered, own.HTTPStatus
	r.Delivery, r.Subscription = own.Delivery, own.Subscription
	return r
}

func (x *exchange) observe(direction string, m *frame.Message) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if direction == observation.ClientToServer || !x.wait(m) {
		x.take(direction, m)
	}
}

// take records a message.
func (x *exchange) take(direction string, m *frame.Message) {
	if direction == observation.ServerToClient && !x.answers.reply(m) {
		return
	}
	if direction == observation.ClientToServer && (m.Method != "initialize" || x.answered) { // else known does
		x.sentBy(m)
	}
	r := x.next(observation.Record{Direction: direction})
	if direction == observation.ServerToClient {
		r.HTTPStatus = x.answers.refusal()
	}
	if m.Reduced {
		r.Bytes, r.Reduced = m.Bytes, true
	}
	if direction == observation.ClientToServer {
		r.Traceparent, r.Tracestate = x.parent, x.state
		if m.IsRequest() {
			r.RequestID = x.requestID
			r.Time = cmp.Or(x.injected, r.Time)
			x.answers.request(m)
		}
		if m.Method == "initialize" && !x.hasSession && !x.answered {
			x.held = append(x.held, held{r, bytes.Clone(m.Text)})
			return
		}
	}
	x.p.add(&r, m.Text)
}

// lost counts messages that could not be read.
func (x *exchange) lost(n int64) {
	x.mu.Lock()
	around := x.around
	x.mu.Unlock()
	x.p.sink.Dropped(&around, n)
}

func (x *exchange) requestEnds() {
	x.requests.End()
	x.lost(x.requests.Lost)
	x.requests.Lost = 0
	x.bodyEnds()
}

// over ends the body of a request that nobody has read to its end, nor closed.
func (x *exchange) over() {
	if x.body != nil {
		x.body.stop()
	}
}

// show observes the body of a request while it is read.
func (x *exchange) show(r *http.Request, body io.ReadCloser) {
	x.body = &tee{ReadCloser: body, length: r.ContentLength, part: x.requests.Part, end: x.requestEnds}
	if x.delivery != nil {
		x.body.part, x.body.end = x.delivery.part, x.bodyEnds
	}
	r.Body = x.body
}

// propagate puts the trace context into the body of a request, unless that is
// too long, and observes the body as it was.
func (x *exchange) propagate(r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, int64(x.p.opt.MaxMessage)+1))
	rest := io.Reader(r.Body)
	if err != nil || len(body) > x.p.opt.MaxMessage || !isJSON(r.Header) {
		x.show(r, readCloser{io.MultiReader(bytes.NewReader(body), rest), r.Body})
		return
	}
	frame.Parse(body, func(m *frame.Message) {
		if m.Method != "initialize" {
			x.sentBy(m) // the context depends on the session
		}
	})
	changed := x.inject(body)
	x.requests.Part(body)
	x.requestEnds()
	r.Body = readCloser{bytes.NewReader(changed), r.Body}
	r.ContentLength = int64(len(changed))
	r.Header.Del("Content-Length")
}

func (x *exchange) inject(body []byte) []byte {
	if bytes.Contains(body, []byte(`"initialize"`)) && !x.hasSession {
		return body // the session is not known yet
	}
	return observer.Inject(body, func(id jsonscan.Value) observer.TraceContext {
		x.injected = time.Now().UnixNano()
		c := observer.ContextOf(x.p.opt.Namespace, x.around.Session, x.around.Connection, id, x.injected)
		if x.requestID == "" {
			x.requestID = c.RequestID
		}
		c.RequestID = x.requestID
		if x.parent != "" { // then the span has another parent, and another id
			c.Traceparent = x.parent
		}
		return c
	})
}

func isJSON(h http.Header) bool { return strings.HasPrefix(h.Get("Content-Type"), "application/json") }

// readCloser reads from one and closes another.
type readCloser struct {
	io.Reader
	io.Closer
}
