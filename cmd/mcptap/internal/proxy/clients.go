package proxy

import (
	"context"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/frame"
)

// Bounds of what is known of clients without a session. Beyond them, those are
// forgotten that came first.
const (
	clientsMax     = 64    // of one program at one address
	clientKindsMax = 1_000 // programs and addresses
)

// clients tells apart clients whose exchanges have no session. A connection is of
// one client, but a client opens many. A new connection is of a client of the same
// program at the same address, unless its request has an id that this client has
// used: no client uses an id twice.
type clients struct {
	first string // session of the first one, with which those of the others begin

	mu       sync.Mutex
	known    map[string][]*client
	count    int                 // of all there ever were
	recorded map[string]struct{} // sessions of which there are records
}

// client is one of them.
type client struct {
	session string
	name    string // as its messages have it, "" if they have none
	highest int64  // id of a request
	recent  uint64 // bit n is set if highest-n was used
}

// connection is a client's. It is in the context of its requests.
type connection struct{ client *client }

type connectionKey struct{}

// ConnContext is for [http.Server], which then tells the proxy which requests came
// over the same connection.
func ConnContext(ctx context.Context, _ net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, &connection{})
}

func connectionOf(r *http.Request) *connection {
	if c, ok := r.Context().Value(connectionKey{}).(*connection); ok {
		return c
	}
	return &connection{}
}

// kindOf returns the fields that requests of the same client share.
func kindOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	return host + "\x00" + r.UserAgent()
}

// current is the session of a connection, or of the last client of its kind: there
// is no message yet that says more.
func (cs *clients) current(conn *connection, kind string) string {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if conn.client != nil {
		return conn.client.session
	}
	if all := cs.known[kind]; len(all) > 0 {
		return all[len(all)-1].session
	}
	return cs.first
}

// of is the session of the client that sent a message.
func (cs *clients) of(conn *connection, kind string, m *frame.Message) string {
	id, numbered := m.ID.Int()
	numbered = numbered && m.IsRequest()
	cs.mu.Lock()
	defer cs.mu.Unlock()
	c := conn.client
	if c == nil || !c.canBe(m.ClientName) || m.Method == "initialize" && numbered && c.used(id) {
		c = cs.pick(kind, m.ClientName, id, numbered)
		conn.client = c
	}
	if c.name == "" {
		c.name = strings.Clone(m.ClientName)
	}
	if numbered {
		c.use(id)
	}
	return c.session
}

// pick finds the client of a kind that could send a request next, or makes one.
func (cs *clients) pick(kind, name string, id int64, numbered bool) (best *client) {
	for _, c := range cs.known[kind] {
		if c.canBe(name) && (!numbered || !c.used(id)) && (best == nil || c.highest >= best.highest) {
			best = c
		}
	}
	if best == nil {
		best = cs.add(kind)
	}
	return best
}

func (cs *clients) add(kind string) *client {
	cs.count++
	c := &client{session: cs.first, highest: -1}
	if cs.count > 1 {
		c.session += "-" + strconv.Itoa(cs.count)
	}
	if cs.known == nil {
		cs.known = map[string][]*client{}
	}
	if len(cs.known) >= clientKindsMax && cs.known[kind] == nil {
		for other := range cs.known {
			cs.forget(other, len(cs.known[other]))
			break
		}
	}
	if len(cs.known[kind]) >= clientsMax {
		cs.forget(kind, 1)
	}
	cs.known[kind] = append(cs.known[kind], c)
	return c
}

// forget drops the first n of a kind.
func (cs *clients) forget(kind string, n int) {
	for _, c := range cs.known[kind][:n] {
		delete(cs.recorded, c.session)
	}
	if cs.known[kind] = slices.Delete(cs.known[kind], 0, n); len(cs.known[kind]) == 0 {
		delete(cs.known, kind)
	}
}

// record notes that there are records of a session, if it is of such a client.
func (cs *clients) record(session string) {
	if !strings.HasPrefix(session, cs.first) {
		return
	}
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if cs.recorded == nil {
		cs.recorded = map[string]struct{}{}
	}
	cs.recorded[session] = struct{}{}
}

// sessions are those of which there are records.
func (cs *clients) sessions() []string {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	all := make([]string, 0, len(cs.recorded))
	for session := range cs.recorded {
		all = append(all, session)
	}
	slices.Sort(all)
	return all
}

func (c *client) canBe(name string) bool { return name == "" || c.name == "" || name == c.name }

// used reports whether the client has sent a request with this id. Of old ones it
// is taken to have.
func (c *client) used(id int64) bool {
	switch behind := c.highest - id; {
	case behind < 0:
		return false
	case behind >= 64:
		return true
	default:
		return c.recent&(1<<behind) != 0
	}
}

func (c *client) use(id int64) {
	ahead := id - c.highest
	switch {
	case ahead > 0:
		c.recent = c.recent<<min(ahead, 64) | 1
		c.highest = id
	case ahead > -64:
		c.recent |= 1 << -ahead
	}
}
