package wire

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Errors of an exchange with a server.
var (
	ErrSessionLost = errors.New("the server forgot the session")
	ErrNoReply     = errors.New("the answer has no reply in it")
)

// RPCError is an error of JSON-RPC. Its text is the server's and not repeated in
// logs: it may hold anything.
type RPCError struct {
	Code    int64
	Message string
	Members Members
}

// Error implements error.
func (e *RPCError) Error() string {
	return "the server answered with error " + strconv.FormatInt(e.Code, 10)
}

// ErrorOf reads the error of a JSON-RPC response.
func ErrorOf(fault Members) *RPCError {
	code, _ := strconv.ParseInt(fault.Text("code"), 10, 64) // 0 is no code
	return &RPCError{Code: code, Message: fault.Text("message"), Members: fault}
}

// HTTPError is an answer that is no success, and no JSON-RPC.
type HTTPError struct{ Status int }

// Error implements error.
func (e *HTTPError) Error() string {
	return fmt.Sprintf("the server answered %d %s", e.Status, http.StatusText(e.Status))
}

// Meaning is what an error means, whatever its number.
type Meaning uint8

// The meanings.
const (
	Temporary   Meaning = iota // try again
	Refused                    // this way of delivery is not to be had
	Malformed                  // the request is not understood: another generation, or wrong arguments
	NotFound                   // there is no such type of event, or subscription
	Expired                    // the cursor is too old (first draft)
	Unreached                  // the server did not reach, or not verify, the webhook
	SessionLost                // the server forgot the session
)

// meanings of codes that have one in every generation (SEP-3415 and JSON-RPC).
var meanings = map[int64]Meaning{
	-32601: Refused, -32602: Malformed,
	-32011: NotFound, -32016: NotFound, -32023: NotFound,
	-32012: Refused, -32024: Refused, // forbidden
	-32013: Refused, -32025: Refused, // limit
	-32015: Unreached, -32027: Unreached, // callback
	-32026: Refused, // unsupported
	-32021: Refused,
}

// MeaningOf decodes an error. -32014 meant that a cursor expired before it meant
// that an option is not supported.
func MeaningOf(err error, g Generation) Meaning {
	var web *HTTPError
	var rpc *RPCError
	switch {
	case errors.Is(err, ErrSessionLost):
		return SessionLost
	case errors.As(err, &web):
		return httpMeaning(web.Status)
	case !errors.As(err, &rpc):
		return Temporary
	case rpc.Code == -32014 && (strings.Contains(rpc.Message, "Expired") || g == Draft1 && !strings.Contains(rpc.Message, "Unsupported")):
		return Expired
	case rpc.Code == -32014:
		return Refused
	}
	return meanings[rpc.Code]
}

// internalError is JSON-RPC's code for what went wrong inside a server.
const internalError = -32603

// IsInternal reports whether the error is JSON-RPC's internal one.
func IsInternal(err error) bool {
	var rpc *RPCError
	return errors.As(err, &rpc) && rpc.Code == internalError
}

func httpMeaning(status int) Meaning {
	switch status {
	case http.StatusMethodNotAllowed, http.StatusNotAcceptable, http.StatusNotImplemented, http.StatusForbidden, http.StatusUnsupportedMediaType:
		return Refused
	}
	return Temporary
}

// RetryAfter reads the header: seconds, or a date. At most an hour.
func RetryAfter(h http.Header, now time.Time) time.Duration {
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
