package events

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// rpcError is an error of JSON-RPC. Its text is the server's and not repeated in
// logs: it may hold anything.
type rpcError struct {
	code    int64
	message string
	fault   members
}

// Error implements error.
func (e *rpcError) Error() string {
	return "the server answered with error " + strconv.FormatInt(e.code, 10)
}

func faultOf(fault members) *rpcError {
	return &rpcError{code: integer(fault.text("code")), message: fault.text("message"), fault: fault}
}

func integer(text string) int64 {
	n, _ := strconv.ParseInt(text, 10, 64) // 0 is no code
	return n
}

// httpError is an answer that is no success, and no JSON-RPC.
type httpError struct{ status int }

// Error implements error.
func (e *httpError) Error() string {
	return fmt.Sprintf("the server answered %d %s", e.status, http.StatusText(e.status))
}

// meaning is what an error means, whatever its number.
type meaning uint8

const (
	temporary meaning = iota // try again
	refused                  // this way of delivery is not to be had
	malformed                // the request is not understood: another generation, or wrong arguments
	notFound                 // there is no such type of event, or subscription
	expired                  // the cursor is too old (G1)
	lost                     // the server forgot the session
)

// meanings of codes that have one in every generation (SEP-3415 and JSON-RPC).
var meanings = map[int64]meaning{
	-32601: refused, -32602: malformed,
	-32011: notFound, -32016: notFound, -32023: notFound,
	-32012: refused, -32024: refused, // forbidden
	-32013: refused, -32025: refused, // limit
	-32015: refused, -32027: refused, // callback
	-32026: refused, // unsupported
	-32021: refused,
}

// meaningOf decodes an error. -32014 meant that a cursor expired before it meant
// that an option is not supported.
func meaningOf(err error, g Generation) meaning {
	var web *httpError
	var rpc *rpcError
	switch {
	case errors.Is(err, errSessionLost):
		return lost
	case errors.As(err, &web):
		return webMeaning(web.status)
	case !errors.As(err, &rpc):
		return temporary
	case rpc.code == -32014 && (strings.Contains(rpc.message, "Expired") || g == G1 && !strings.Contains(rpc.message, "Unsupported")):
		return expired
	case rpc.code == -32014:
		return refused
	}
	return meanings[rpc.code]
}

func webMeaning(status int) meaning {
	switch status {
	case http.StatusMethodNotAllowed, http.StatusNotAcceptable, http.StatusNotImplemented, http.StatusForbidden, http.StatusUnsupportedMediaType:
		return refused
	}
	return temporary
}

// retryAfter reads the header: seconds, or a date. At most an hour.
func retryAfter(h http.Header, now time.Time) time.Duration {
	text := h.Get("Retry-After")
	if text == "" {
		return 0
	}
	if seconds, err := strconv.ParseUint(text, 10, 20); err == nil {
		return min(time.Duration(seconds)*time.Second, time.Hour)
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	return max(0, min(at.Sub(now), time.Hour))
}
