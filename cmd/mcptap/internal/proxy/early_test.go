package proxy

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/observation"
)

// A server may answer before the request was read to its end. What it says is
// recorded behind that, so that the reply finds its request and no error takes its place.
func TestReplyBeforeItsRequest(t *testing.T) {
	target, err := ParseTarget("http://127.0.0.1:1/mcp")
	require.NoError(t, err)
	const request, initialize = `{"jsonrpc":"2.0","id":1,"method":"m"}`, `{"jsonrpc":"2.0","id":1,"method":"initialize"}`
	for name, tt := range map[string]struct {
		request, answer string
		status          int
		want            []string // ! before what takes the place of a reply
	}{
		"reply":      {request, `{"id":1,"result":{}}`, 200, []string{request, `{"id":1,"result":{}}`}},
		"initialize": {initialize, `{"id":1,"result":{}}`, 200, []string{initialize, `{"id":1,"result":{}}`}},
		"news first": {request, `[{"method":"n"},{"id":1,"result":{}}]`, 200, []string{`{"method":"n"}`, request, `{"id":1,"result":{}}`}},
		"refusal":    {request, `{"id":null,"error":{"code":1}}`, 400, []string{request, `!{"jsonrpc":"2.0","id":1,"error":{"code":1}}`}},
		"no reply":   {request, ``, 200, []string{request, `!{"jsonrpc":"2.0","id":1,"error":{"message":"200 OK"}}`}},
		"no request": {``, `{"id":1,"result":{}}`, 200, []string{`{"id":1,"result":{}}`}},
	} {
		t.Run(name, func(t *testing.T) {
			var k kept
			answerFirst(t, New(Options{Target: target, MaxMessage: 10_000}, &k, false, io.Discard), tt.status, tt.answer, tt.request)
			var got []string
			for _, r := range k.all() {
				if r.Unanswered {
					r.text = "!" + r.text
				}
				got = append(got, r.text)
			}
			assert.Equal(t, tt.want, got)
		})
	}
}

// Clients that begin with one id are two, however early they get their answers.
func TestInitializeBehindItsAnswer(t *testing.T) {
	target, err := ParseTarget("http://127.0.0.1:1/mcp")
	require.NoError(t, err)
	var k kept
	p := New(Options{Target: target, MaxMessage: 10_000}, &k, false, io.Discard)
	for range 2 {
		answerFirst(t, p, http.StatusOK, `{"id":1,"result":{}}`, `{"jsonrpc":"2.0","id":1,"method":"initialize"}`)
	}
	sessions := map[string]int{}
	for _, r := range k.all() {
		sessions[r.Session]++
	}
	assert.Equal(t, map[string]int{"": 2, "-2": 2}, sessions)
}

// answerFirst is an exchange whose answer is read before its request.
func answerFirst(t *testing.T, p *Proxy, status int, answer, request string) {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/mcp", http.NoBody)
	x := p.newExchange(r)
	x.show(r, io.NopCloser(strings.NewReader(request)))
	x.answers.status = status
	x.known("")
	replies := x.assembler(observation.ServerToClient)
	replies.Part([]byte(answer))
	replies.End()
	x.answerEnds()
	_, err := io.ReadAll(x.body)
	require.NoError(t, err)
}

// A request that is answered before it was read at all may never be read: its reply
// does not wait for more than the exchange.
func TestReplyToWhatNobodyReads(t *testing.T) {
	target, err := ParseTarget("http://127.0.0.1:1/mcp")
	require.NoError(t, err)
	var k kept
	r := httptest.NewRequest(http.MethodPost, "/mcp", http.NoBody)
	x := New(Options{Target: target, MaxMessage: 10_000}, &k, false, io.Discard).newExchange(r)
	x.show(r, io.NopCloser(strings.NewReader(`{"id":1,"method":"m"}`)))
	replies := x.assembler(observation.ServerToClient)
	replies.Part([]byte(`{"id":1,"result":{}}`))
	replies.End()
	require.Empty(t, k.all())
	x.over()
	require.Len(t, k.all(), 1)
}
