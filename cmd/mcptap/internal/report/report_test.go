package report

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/otelcol-mcp/otelcol-mcp/internal/observation"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// collector answers with what is next in answers, then with 202, and keeps what
// it took.
type collector struct {
	*httptest.Server
	mu      sync.Mutex
	answers []func(http.ResponseWriter)
	hold    chan struct{} // what has an answer waits for it, or until the client leaves
	posts   []post
}

type post struct{ session, lines string }

func newCollector(t *testing.T, answers ...func(http.ResponseWriter)) *collector {
	t.Helper()
	c := &collector{answers: answers}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.answers) > 0 {
		answer := c.answers[0]
		c.answers = c.answers[1:]
		if c.hold != nil {
			c.mu.Unlock()
			select {
			case <-c.hold:
			case <-r.Context().Done():
			}
			c.mu.Lock()
		}
		answer(w)
		return
	}
	c.posts = append(c.posts, post{r.Header.Get("X-Session-Id"), string(body)})
	w.WriteHeader(http.StatusAccepted)
}

func (c *collector) taken() []post {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]post(nil), c.posts...)
}

func (c *collector) client(t *testing.T) *Client {
	t.Helper()
	client, err := NewClient(c.URL, "")
	require.NoError(t, err)
	t.Cleanup(client.http.CloseIdleConnections)
	return client
}

func answer(code int, header ...string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
	}
}

func body(text string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(w, text)
	}
}

func add(q *Queue, session, message string) {
	q.Add(&observation.Record{Time: 1771516800000000001, Session: session}, []byte(message))
}

func line(session, message string) string {
	return `{"time":1771516800000000001,"session":"` + session + `","message":` + message + "}\n"
}

func TestOneSessionAPost(t *testing.T) {
	c, q := newCollector(t), NewQueue(1<<20)
	add(q, "a", "1")
	add(q, "b", "2")
	add(q, "a", "3")
	var said bytes.Buffer
	Start(q, c.client(t), &said).Close(time.Minute)
	assert.Equal(t, []post{{"a", line("a", "1") + line("a", "3")}, {"b", line("b", "2")}}, c.taken())
	assert.Empty(t, said.String())
	assert.Zero(t, q.size)
}

func TestBusyCollectorIsAskedAgain(t *testing.T) {
	c, q := newCollector(t, answer(503, "Retry-After", "0"), answer(429), answer(502)), NewQueue(1<<20)
	add(q, "a", "1")
	s := Start(q, c.client(t), io.Discard)
	require.Eventually(t, func() bool { return len(c.taken()) == 1 }, time.Minute, time.Millisecond)
	s.Close(time.Minute)
	assert.Equal(t, []post{{"a", line("a", "1")}}, c.taken())
}

// What is refused for good, rejected or does not fit is counted, and notices tell
// the receiver of it, in the sessions where it is missing.
func TestDroppedAreTold(t *testing.T) {
	c := newCollector(t, answer(400), body(`{"accepted":1,"rejected":[{"item":0,"error":"bad"}]}`))
	q := NewQueue(2*slack + 150)
	add(q, "a", "1")
	add(q, "b", "2")
	add(q, "c", strings.Repeat("3", 3*slack))
	add(q, "d", "4")
	var said bytes.Buffer
	Start(q, c.client(t), &said).Close(time.Minute)
	told := map[string]int{}
	for _, p := range c.taken() {
		if p == (post{"d", line("d", "4")}) {
			continue
		}
		told[p.session]++
		assert.Contains(t, p.lines, `"session":"`+p.session+`","direction":"client_to_server","message":{"jsonrpc":"2.0","method":"notifications/mcptap/dropped","params":{"records":1}}}`)
	}
	assert.Equal(t, map[string]int{"a": 1, "b": 1, "c": 1}, told)
	assert.Equal(t, 1, strings.Count(said.String(), "so far"), "one complaint a minute: %s", &said)
	assert.Contains(t, said.String(), "mcptap: 3 records lost in total: ")
}

// In the end a collector that is away is not waited for.
func TestCloseWithoutCollector(t *testing.T) {
	c, q := newCollector(t), NewQueue(1<<20)
	client := c.client(t)
	c.Close()
	add(q, "a", "1")
	var said bytes.Buffer
	Start(q, client, &said).Close(time.Hour)
	assert.Contains(t, said.String(), "mcptap: 1 records lost in total: "+c.URL+"/v1/observations: ")
}

// Nor is one that says nothing, for longer than it may take.
func TestCloseWithSilentCollector(t *testing.T) {
	leave := make(chan struct{})
	c, q := newCollector(t, func(http.ResponseWriter) { <-leave }), NewQueue(1<<20)
	add(q, "a", "1")
	s := Start(q, c.client(t), io.Discard)
	s.Close(time.Millisecond)
	close(leave)
	assert.Equal(t, int64(1), q.lost())
}

func TestQueueIsBounded(t *testing.T) {
	q := NewQueue(100 << 10)
	for range 10_000 {
		add(q, "a", `{"jsonrpc":"2.0","method":"notifications/a"}`)
	}
	assert.LessOrEqual(t, q.size, 2*100<<10)
	assert.Positive(t, q.lost())
}

func TestFile(t *testing.T) {
	q := NewQueue(1 << 20)
	add(q, "a", "1")
	add(q, "b", "2")
	var out bytes.Buffer
	StartFile(q, &out, true, "out", io.Discard).Close(time.Minute)
	assert.Equal(t, "\n"+line("a", "1")+line("b", "2"), out.String())
}

// full is a disk on which there is room for a part only of what is written first.
type full struct {
	bytes.Buffer
	room int
}

func (f *full) Write(p []byte) (int, error) {
	if f.room > 0 && f.room < len(p) {
		n, _ := f.Buffer.Write(p[:f.room])
		f.room = 0
		return n, errors.New("no space left on device")
	}
	return f.Buffer.Write(p)
}

// What is written behind a line that is cut off is not lost with it.
func TestFullDisk(t *testing.T) {
	q, out := NewQueue(1<<20), full{room: 10}
	add(q, "a", "1")
	add(q, "b", "2")
	var said bytes.Buffer
	StartFile(q, &out, false, "out", &said).Close(time.Minute)
	assert.Contains(t, out.String(), line("b", "2"))
	done, err := Replay(t.Context(), &out.Buffer, newCollector(t).client(t), Replaying{Log: io.Discard})
	assert.ErrorContains(t, err, "not an observation record")
	assert.Equal(t, Replayed{Sent: 2, Refused: 1}, done, "the second, and that the first was lost")
	assert.Equal(t, "mcptap: 1 records lost so far: out: no space left on device\nmcptap: 1 records lost in total: out: no space left on device\n", said.String())
}

func TestReplay(t *testing.T) {
	c := newCollector(t, answer(503), body(`{"accepted":1,"rejected":[{"item":1,"error":"bad"}]}`))
	text := line("a", "1") + line("a", "2") + "no record\n\n" + line("b", "3") + line("a", "4")
	done, err := Replay(t.Context(), strings.NewReader(text), c.client(t), Replaying{Wait: time.Hour, Log: io.Discard})
	assert.EqualError(t, err, "2 records were rejected: the collector rejected 1 records: bad")
	assert.Equal(t, Replayed{Sent: 3, Refused: 2}, done)
	assert.Equal(t, []post{{"b", line("b", "3")}, {"a", line("a", "4")}}, c.taken())
}

// What cannot be sent as it is does not keep the rest from being sent.
func TestReplayOddLines(t *testing.T) {
	c := newCollector(t)
	long := strings.Repeat("x", lineMax+1)
	text := long + "\n" + line("a", "1") + "[1]\n7\n\x00\xff\n" + line("a", "2") + strings.TrimSuffix(line("a", "3"), "}\n")
	done, err := Replay(t.Context(), strings.NewReader(text), c.client(t), Replaying{Log: io.Discard})
	assert.EqualError(t, err, "5 records were rejected: line 7 is not an observation record")
	assert.Equal(t, Replayed{Sent: 2, Refused: 5}, done)
	assert.Equal(t, []post{{"a", line("a", "1") + line("a", "2")}}, c.taken())

	_, err = Replay(t.Context(), strings.NewReader(long), c.client(t), Replaying{Log: io.Discard})
	assert.ErrorContains(t, err, "line 1 is longer than 16 MiB")
	done, err = Replay(t.Context(), strings.NewReader("\n"), c.client(t), Replaying{Log: io.Discard})
	require.NoError(t, err)
	assert.Equal(t, Replayed{}, done)
}

// What would be refused whatever it is stops a replay where it is, and it can go
// on there.
func TestReplayStops(t *testing.T) {
	text := line("a", "1") + "\n" + line("b", "2") + line("b", "3")
	for code, want := range map[int]string{
		401: "401 Unauthorized: set MCPTAP_AUTHORIZATION", 403: "403 Forbidden", 404: "404 Not Found: the mcp receiver",
		405: "405 Method Not Allowed: ", 415: "415 Unsupported Media Type: ",
	} {
		c := newCollector(t, body(""), answer(code))
		done, err := Replay(t.Context(), strings.NewReader(text), c.client(t), Replaying{Log: io.Discard})
		assert.ErrorContains(t, err, want)
		assert.Equal(t, Replayed{Sent: 1, Next: 3}, done, code)
		done, err = Replay(t.Context(), strings.NewReader(text), c.client(t), Replaying{From: done.Next, Log: io.Discard})
		require.NoError(t, err)
		assert.Equal(t, Replayed{Sent: 2}, done)
		assert.Equal(t, []post{{"b", line("b", "2") + line("b", "3")}}, c.taken())
	}
}

// busy is a collector that never has time, and counts how often it is asked.
type busy struct{ asked int }

func (b *busy) post(ctx context.Context, _ string, _ []byte) error {
	b.asked++
	if ctx.Err() != nil {
		return &refusal{why: ctx.Err(), retry: true, away: true}
	}
	return &refusal{why: errors.New("503 Service Unavailable"), retry: true, after: 2 * time.Second}
}

// A collector is waited for, but not for ever.
func TestReplayGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var to busy
		var said bytes.Buffer
		begun := time.Now()
		done, err := replay(t.Context(), strings.NewReader("\n"+line("a", "1")), &to, "there", Replaying{Wait: time.Minute, Log: &said})
		assert.EqualError(t, err, "there: 503 Service Unavailable, for 1m0s: the collector or its pipeline is overloaded")
		assert.Equal(t, Replayed{Next: 2}, done)
		assert.Equal(t, time.Minute, time.Since(begun))
		assert.Greater(t, to.asked, 5)
		assert.Equal(t, "mcptap: there: 503 Service Unavailable: retrying for up to 1m0s\n", said.String())
	})
}

func TestReplayIsStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(errors.New("enough")) })
		done, err := replay(ctx, strings.NewReader(line("a", "1")), &busy{}, "there", Replaying{Wait: time.Hour, Log: io.Discard})
		assert.EqualError(t, err, "enough")
		assert.Equal(t, Replayed{Next: 1}, done)
	})
}

// Why a collector says no is told, also how much of a batch it did not take when
// it names only some.
func TestVerdicts(t *testing.T) {
	for want, answers := range map[string]func(http.ResponseWriter){
		"the collector rejected 3 records: bad": body(`{"accepted":1,"rejected":[{"item":0,"error":"bad"}]}`),
		"400 Bad Request: bad": func(w http.ResponseWriter) {
			http.Error(w, `{"accepted":0,"rejected":[{"item":0,"error":"bad"}]}`, http.StatusBadRequest)
		},
		"403 Forbidden: not this Host": func(w http.ResponseWriter) { http.Error(w, "not this Host", http.StatusForbidden) },
		"413 Request Entity Too Large": answer(413),
		"500 Internal Server Error": func(w http.ResponseWriter) {
			http.Error(w, strings.Repeat("long ", 99), http.StatusInternalServerError)
		},
		"302 Found":                         answer(302),
		"404 Not Found: the mcp receiver":   answer(404),
		"503 Service Unavailable":           answer(503),
		"400 Bad Request: the body is void": func(w http.ResponseWriter) { http.Error(w, "the body is void", http.StatusBadRequest) },
	} {
		c := newCollector(t, answers)
		assert.ErrorContains(t, c.client(t).post(t.Context(), "", []byte("1\n2\n3\n4\n")), want)
	}
}

// A client that followed a redirect would turn a POST into a GET, take its answer
// for the collector's, and show its authorization to another host.
func TestRedirectIsARefusal(t *testing.T) {
	elsewhere := newCollector(t)
	for _, code := range []int{301, 302, 303, 307, 308} {
		c := newCollector(t, answer(code, "Location", elsewhere.URL+"/login?token=secret"))
		err := c.client(t).post(t.Context(), "", []byte("1\n"))
		no, ok := errors.AsType[*refusal](err)
		require.True(t, ok, "%d: %v", code, err)
		assert.False(t, no.retry)
		assert.True(t, no.all, "a replay stops")
		assert.ErrorContains(t, err, http.StatusText(code)+": the endpoint redirects to "+elsewhere.URL+"/login: ")
		assert.NotContains(t, err.Error(), "secret")
	}
	assert.Empty(t, elsewhere.taken())
}

// The collector may want TLS and to know who sends.
func TestAuthorizationOverTLS(t *testing.T) {
	got := make(chan string, 1)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got <- r.Header.Get("Authorization")
		w.WriteHeader(http.StatusAccepted)
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	client, err := NewClient(server.URL, "Bearer secret")
	require.NoError(t, err)
	defer client.http.CloseIdleConnections()
	assert.ErrorContains(t, client.post(t.Context(), "", []byte("1\n")), "certificate", "an unknown one is not trusted")
	client.http.Transport.(*http.Transport).TLSClientConfig = server.Client().Transport.(*http.Transport).TLSClientConfig
	require.NoError(t, client.post(t.Context(), "", []byte("1\n")))
	assert.Equal(t, "Bearer secret", <-got)
}

func TestEndpoint(t *testing.T) {
	for _, endpoint := range []string{"", "localhost:4319", "ftp://x", "http://", "::"} {
		_, err := NewClient(endpoint, "")
		assert.ErrorContains(t, err, "--endpoint", endpoint)
	}
}

func TestRetryAfter(t *testing.T) {
	for header, want := range map[string]time.Duration{
		"": 0, "2": 2 * time.Second, "-1": 0, "x": 0, "86400": longest, "Thu, 01 Jan 2099 00:00:00 GMT": longest,
		"Thu, 01 Jan 1970 00:00:00 GMT": 0,
	} {
		assert.Equal(t, want, retryAfter(header), header)
	}
}
