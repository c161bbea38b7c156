package faults

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// pace is the time between two requests of a sender, unless it has one of its own.
const pace = 20 * time.Millisecond

// senders push at the same time and note what was acknowledged.
type senders struct {
	address string
	payload string // of each call
	calls   int    // of each session
	pace    time.Duration
	client  http.Client

	mu           sync.Mutex
	acknowledged []string
	sessions     []string
	refused      int // and sent again
}

func newSenders(address string) *senders {
	return &senders{address: address, calls: 5, pace: pace, client: http.Client{Timeout: harness.Patience}}
}

// push sends a body until it is acknowledged, as a good client does.
func (s *senders) push(body string) {
	s.until(func() bool {
		response, err := s.client.Post("http://"+s.address+"/v1/observations", "application/x-ndjson", strings.NewReader(body))
		if err != nil {
			return false
		}
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
		return response.StatusCode == http.StatusAccepted
	})
}

// until tries again until what was sent is acknowledged.
func (s *senders) until(acknowledged func() bool) {
	for !acknowledged() {
		s.mu.Lock()
		s.refused++
		s.mu.Unlock()
		<-time.After(pace)
	}
}

func (s *senders) note(list *[]string, what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*list = append(*list, what)
}

// record is a line of an observation, with its time, so that sending it again
// says the same.
func record(session, rest string) string {
	return fmt.Sprintf(`{"time":%d,"session":%q,%s}`+"\n", time.Now().UnixNano(), session, rest)
}

func request(tool string, id int, payload string) string {
	return fmt.Sprintf(`"message":{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{"a":%q}}}`, id, tool, payload)
}

func result(id int) string {
	return fmt.Sprintf(`"message":{"jsonrpc":"2.0","id":%d,"result":{"content":[]}}`, id)
}

// load has sessions one after the other: calls, whose name is the number of the
// sender, the session and the call, and an end. Of split ones, the call and its
// reply are two requests. JSON-RPC ids are the same in all sessions.
func (s *senders) load(sender int, split bool) func(context.Context) {
	return func(ctx context.Context) {
		for n := 0; ctx.Err() == nil; n++ {
			session := fmt.Sprintf("s-%d-%d", sender, n)
			for id := range s.calls {
				tool := fmt.Sprintf("%s-%d", session, id)
				first, second := record(session, request(tool, id, s.payload)), record(session, result(id))
				if split {
					s.push(first)
					<-time.After(s.pace)
					s.push(second)
				} else {
					s.push(first + second)
				}
				s.note(&s.acknowledged, tool)
				<-time.After(s.pace)
			}
			s.push(record(session, `"end":{"reason":"closed"}`))
			s.note(&s.sessions, session)
		}
	}
}
