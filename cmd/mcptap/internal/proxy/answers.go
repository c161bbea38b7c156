package proxy

import (
	"bytes"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/frame"
	"github.com/otelcol-mcp/otelcol-mcp/internal/observation"
)

// openMax bounds the requests of one exchange whose replies are looked for.
const openMax = 1000

// answers are the requests of an exchange that have no reply yet, and what is
// known of its response.
type answers struct {
	elsewhere bool // replies come with another exchange: the older transport
	missed    bool // a part of the response could not be read
	resumable bool // the response is a stream that can be resumed

	open       []string // ids
	status     int      // of the response, 0 if there is none
	failure    []byte   // error of a reply that names no request, or none of the exchange
	bodyOver   bool
	answerOver bool
}

func (a *answers) request(m *frame.Message) {
	if len(a.open) < openMax {
		a.open = append(a.open, strings.Clone(string(m.ID)))
	}
}

// reply notes what the server sent. It is false for an error that is about a
// request of the exchange but does not name it: it is reported with that.
func (a *answers) reply(m *frame.Message) bool {
	if !m.IsReply() {
		return true
	}
	if i := slices.Index(a.open, string(m.ID)); i >= 0 {
		a.open = slices.Delete(a.open, i, i+1)
		return true
	}
	if m.IsAnonymous() || m.Error != "" && a.refusal() != 0 && len(a.open) > 0 {
		a.failure = bytes.Clone([]byte(m.Error))
		return false
	}
	return true
}

// refusal is the status of a response that is none of success, else 0.
func (a *answers) refusal() int64 {
	if a.status < http.StatusMultipleChoices {
		return 0
	}
	return int64(a.status)
}

// areOver reports whether nothing more can be sent for the open requests.
func (a *answers) areOver() bool {
	over := a.bodyOver && a.answerOver && len(a.open) > 0
	return over && (a.refusal() != 0 || !a.elsewhere && !a.missed && !a.resumable && a.status != http.StatusAccepted)
}

// error replaces a reply.
func (a *answers) error() []byte {
	switch {
	case a.failure != nil:
		return a.failure
	case a.status == 0:
		return []byte(`{"message":"connection lost"}`)
	}
	return []byte(`{"message":"` + strings.TrimSpace(strconv.Itoa(a.status)+" "+http.StatusText(a.status)) + `"}`)
}

// bodyEnds is called when all of the request was read.
func (x *exchange) bodyEnds() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.answers.bodyOver = true
	x.release()
	x.unanswered()
	x.delivered()
}

// answerEnds is called when the response is over, or there will be none.
func (x *exchange) answerEnds() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.answers.answerOver = true
	x.unanswered()
	x.delivered()
}

// unanswered reports requests that got no reply, as errors.
func (x *exchange) unanswered() {
	if !x.answers.areOver() {
		return
	}
	for _, id := range x.answers.open {
		r := x.next(observation.Record{Direction: observation.ServerToClient, Unanswered: true, HTTPStatus: int64(x.answers.status)})
		x.p.add(&r, slices.Concat([]byte(`{"jsonrpc":"2.0","id":`), []byte(id), []byte(`,"error":`), x.answers.error(), []byte{'}'}))
	}
	x.answers.open = nil
}
