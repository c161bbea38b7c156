package report

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/otelcol-mcp/otelcol-mcp/internal/record"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// collector answers with what is next in answers, then with 202, and keeps what
// it took.
type collector struct {
	*httptest.Server
	mu      sync.Mutex
	answers []func(http.ResponseWriter)
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
	q.Add(&record.Record{Time: 1771516800000000001, Session: session}, []byte(message))
}

func line(session, message string) string {
	return `{"time":1771516800000000001,"session":"` + session + `","message":` + message + "}\n"
}

func TestOneSessionAPost(t *testing.T) {
	c, q := newCollector(t), NewQueue(1<<20)
	add(q, "a", "1")
	add(q, "b", "2")
	add(q, "a", "3")
	var log bytes.Buffer
	Start(q, c.client(t), &log).Close(time.Minute)
	assert.Equal(t, []post{{"a", line("a", "1") + line("a", "3")}, {"b", line("b", "2")}}, c.taken())
	assert.Empty(t, log.String())
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

// What is refused for good, rejected or does not fit is counted, and the next
// batch says how much it was.
func TestDroppedAreTold(t *testing.T) {
	c := newCollector(t, answer(400), body(`{"accepted":0,"rejected":[{"item":0,"error":"bad"}]}`))
	q := NewQueue(2*slack + 100)
	add(q, "a", "1")
	add(q, "b", "2")
	add(q, "c", strings.Repeat("3", 3*slack))
	add(q, "d", "4")
	var log bytes.Buffer
	Start(q, c.client(t), &log).Close(time.Minute)
	posts := c.taken()
	require.Len(t, posts, 1)
	assert.Equal(t, "d", posts[0].session)
	told := strings.TrimPrefix(posts[0].lines, line("d", "4"))
	assert.Contains(t, told, `"session":"d","direction":"client_to_server","message":{"jsonrpc":"2.0","method":"notifications/mcptap/dropped","params":{"records":1}}}`,
		"the two before were told of with the second batch")
	assert.Equal(t, 1, strings.Count(log.String(), "\n"), "one complaint a minute: %s", &log)
}

// In the end a collector that is away is not waited for.
func TestCloseWithoutCollector(t *testing.T) {
	c, q := newCollector(t), NewQueue(1<<20)
	client := c.client(t)
	c.Close()
	add(q, "a", "1")
	var log bytes.Buffer
	Start(q, client, &log).Close(time.Hour)
	assert.Contains(t, log.String(), "mcptap: 1 records dropped, which "+c.URL+"/v1/observations did not get: ")
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
	StartFile(q, &out, "out", io.Discard).Close(time.Minute)
	assert.Equal(t, line("a", "1")+line("b", "2"), out.String())
}

func TestReplay(t *testing.T) {
	c := newCollector(t, answer(503), body(`{"accepted":1,"rejected":[{"item":1,"error":"bad"}]}`))
	text := line("a", "1") + line("a", "2") + "no record\n\n" + line("b", "3") + line("a", "4")
	sent, err := Replay(t.Context(), strings.NewReader(text), c.client(t), io.Discard)
	assert.EqualError(t, err, "2 records were refused for good: the collector rejected 1 records: bad")
	assert.Equal(t, int64(3), sent)
	assert.Equal(t, []post{{"b", line("b", "3")}, {"a", line("a", "4")}}, c.taken())
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
