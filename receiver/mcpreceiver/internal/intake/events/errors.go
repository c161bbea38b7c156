package events

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
	errSessionLost = errors.New("the server forgot the session")
	errNoReply     = errors.New("the answer has no reply in it")
)

// rpcError is an error of JSON-RPC. Its text is the server's and not repeated in
// logs: it may hold anything.
type rpcError struct {
	Code    int64
	Message string
	members members
}

// Error implements error.
func (e *rpcError) Error() string {
	return "the server answered with error " + strconv.FormatInt(e.Code, 10)
}

// errorOf reads the error of a JSON-RPC response.
func errorOf(fault members) *rpcError {
	code, _ := strconv.ParseInt(fault.Text("code"), 10, 64) // 0 is no code
	return &rpcError{Code: code, Message: fault.Text("message"), members: fault}
}

// httpError is an answer that is no success, and no JSON-RPC.
type httpError struct{ Status int }

// Error implements error.
func (e *httpError) Error() string {
	return fmt.Sprintf("the server answered %d %s", e.Status, http.StatusText(e.Status))
}

// meaning classifies an error, whatever its number.
type meaning uint8

// The meanings.
const (
	meansTemporary   meaning = iota // try again
	meansRefused                    // this way of delivery is not to be had
	meansForbidden                  // this subscription is not permitted
	meansMalformed                  // the request is not understood: another generation, or wrong arguments
	meansNotFound                   // there is no such type of event, or subscription
	meansExpired                    // the cursor is too old (first draft)
	meansUnreached                  // the server did not reach, or not verify, the webhook
	meansSessionLost                // the server forgot the session
)

// meanings of codes that have one in every generation (SEP-3415 and JSON-RPC).
var meanings = map[int64]meaning{
	-32601: meansRefused, -32602: meansMalformed,
	-32011: meansNotFound, -32016: meansNotFound, -32023: meansNotFound,
	-32012: meansForbidden, -32024: meansForbidden,
	-32013: meansRefused, -32025: meansRefused, // limit
	-32015: meansUnreached, -32027: meansUnreached, // callback
	-32026: meansRefused, // unsupported
	-32021: meansRefused,
}

// meaningOf decodes an error. -32014 meant that a cursor expired before it meant
// that an option is not supported.
func meaningOf(err error, g Generation) meaning {
	var web *httpError
	var rpc *rpcError
	switch {
	case errors.Is(err, errSessionLost):
		return meansSessionLost
	case errors.As(err, &web):
		return httpMeaning(web.Status)
	case !errors.As(err, &rpc):
		return meansTemporary
	case rpc.Code == -32014 && (strings.Contains(rpc.Message, "Expired") || g == Draft1 && !strings.Contains(rpc.Message, "Unsupported")):
		return meansExpired
	case rpc.Code == -32014:
		return meansRefused
	}
	return meanings[rpc.Code]
}

// internalError is JSON-RPC's code for what went wrong inside a server.
const internalError = -32603

// isInternal reports whether the error is JSON-RPC's internal one.
func isInternal(err error) bool {
	var rpc *rpcError
	return errors.As(err, &rpc) && rpc.Code == internalError
}

func httpMeaning(status int) meaning {
	switch status {
	case http.StatusMethodNotAllowed, http.StatusNotAcceptable, http.StatusNotImplemented, http.StatusForbidden, http.StatusUnsupportedMediaType:
		return meansRefused
	}
	return meansTemporary
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
