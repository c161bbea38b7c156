package push

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/collector/consumer/consumererror"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/jsonrpc"
)

// rejection names an item of the body and why it was not accepted.
type rejection struct {
	Item  int    `json:"item"`
	Error string `json:"error"`
}

// rejectionsMax bounds how many rejections one answer reports; all are counted.
const rejectionsMax = 100

// tally holds what became of a body's items.
type tally struct {
	items    int
	accepted int64
	rejected int64
	dropped  int64 // of those accepted, by a limit
	first    []rejection
	warnings string
}

// WarningHeader names what was accepted without some of its members, for instance
// because they are misspelt; the body of an answer is about what was not accepted.
const WarningHeader = "Otelcol-Mcp-Warning"

// warningBytes is the length from which on nothing is added to the warnings:
// proxies refuse answers with long headers.
const warningBytes = 512

// warn notes the members of an item that are not read.
func (t *tally) warn(item int, it *jsonrpc.Item) {
	if len(t.warnings) >= warningBytes {
		return
	}
	if unknown := it.Unknown(); unknown != "" {
		t.warnings += "item " + strconv.Itoa(item) + ": unknown members: " + unknown + "; "
	}
}

func (t *tally) reject(item int, err error) {
	t.rejected++
	if len(t.first) < rejectionsMax {
		t.first = append(t.first, rejection{item, err.Error()})
	}
}

// write answers a body that was accepted as far as it was good.
func (t *tally) write(w http.ResponseWriter) {
	if t.warnings != "" {
		w.Header().Set(WarningHeader, strings.TrimSuffix(t.warnings, "; "))
	}
	switch {
	case t.items == 0:
		http.Error(w, "the body holds no message", http.StatusBadRequest)
	case t.rejected == 0 && t.dropped == 0:
		w.WriteHeader(http.StatusAccepted)
	case t.accepted == 0:
		t.writeRejections(w, http.StatusBadRequest)
	default:
		t.writeRejections(w, http.StatusAccepted)
	}
}

func (t *tally) writeRejections(w http.ResponseWriter, code int) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(struct { // the client is gone if this fails
		Accepted int64       `json:"accepted"`
		Dropped  int64       `json:"dropped,omitempty"`
		Rejected []rejection `json:"rejected,omitempty"`
	}{t.accepted - t.dropped, t.dropped, t.first})
}

// refuse answers a body that a pipeline did not accept: what to do with the
// error's kind, not with its text, which may hold what was sent.
func refuse(w http.ResponseWriter, err error) {
	if consumererror.IsPermanent(err) {
		http.Error(w, "a pipeline refused this for good: do not send it again", http.StatusInternalServerError)
		return
	}
	code, delay := http.StatusServiceUnavailable, time.Second
	if s := statusOf(err); s != nil {
		if s.Code() == codes.ResourceExhausted {
			code = http.StatusTooManyRequests
		}
		delay = retryDelay(s, delay)
	}
	w.Header().Set("Retry-After", strconv.FormatInt(int64((delay+time.Second-1)/time.Second), 10))
	http.Error(w, "a pipeline cannot take this now: send it again later", code)
}

// statusOf is the error's gRPC status, nil if it has none. ToGRPCStatus fails on
// errors that are not its own (v0.155).
func statusOf(err error) *status.Status {
	if _, ok := errors.AsType[*consumererror.Error](err); ok {
		return consumererror.ToGRPCStatus(err)
	}
	var withStatus interface{ GRPCStatus() *status.Status }
	if errors.As(err, &withStatus) {
		return withStatus.GRPCStatus()
	}
	return nil
}

// retryDelay is the delay that the error asks for.
func retryDelay(s *status.Status, otherwise time.Duration) time.Duration {
	for _, detail := range s.Details() {
		if info, ok := detail.(*errdetails.RetryInfo); ok && info.GetRetryDelay().AsDuration() > 0 {
			return info.GetRetryDelay().AsDuration()
		}
	}
	return otherwise
}
