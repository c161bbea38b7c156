package mcp

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/jsonrpc"
)

// delivered reads the body of a webhook delivery, which n has as its params. It is
// false for the challenge to a new webhook, which reports nothing.
func (d *Decoder) delivered(env *event.Envelope, n *event.Notice) bool {
	method, raw := deliveryOf(n.Params)
	if method == "" {
		return false
	}
	n.Method = method
	d.event = eventOf(method, raw)
	d.event.Delivery = "webhook"
	d.event.Subscription = cmp.Or(env.Subscription, d.event.Subscription)
	d.event.Status = env.HTTPStatus
	if d.event.Refused = env.Unanswered || env.HTTPStatus >= http.StatusMultipleChoices; d.event.Refused {
		n.StableID = "" // it is delivered again
	}
	return true
}

// deliveryOf is which notification a delivered body would be in a stream, and the
// params of that. The extension and the second draft name it by a type. In the first
// draft an error is the end of the subscription, unless it passes or only a cursor
// expired; it may stand in another error, in a member named after the end, or in
// the notification itself.
func deliveryOf(body jsonscan.Value) (method string, params jsonscan.Value) {
	switch jsonrpc.Member(body, "type").Str() {
	case "verification":
		return "", body
	case "gap":
		return mcpconv.EventsGap, body
	case "terminated":
		return mcpconv.EventsTerminated, body
	}
	if name := jsonrpc.Member(body, "method").Str(); reportsEvent(name) {
		return name, jsonrpc.Member(body, "params")
	}
	if over := jsonrpc.Member(body, "terminated"); over.IsObject() {
		return mcpconv.EventsTerminated, over
	}
	fault := innerFault(jsonrpc.Member(body, "error"))
	if fault == "" {
		return mcpconv.EventOccurred, body
	}
	return faultMethod(fault), body
}

// innerFault is the error itself, which some servers put into another one.
func innerFault(fault jsonscan.Value) jsonscan.Value {
	if inner := jsonrpc.Member(fault, "error"); inner.IsObject() {
		return inner
	}
	return fault
}

// Codes of the first draft of MCP Events.
const (
	codeNotFound         = -32011
	codeUnauthorized     = -32012
	codeTooMany          = -32013
	codeCursorExpired    = -32014
	codeCallback         = -32015
	codeNoSubscription   = -32016
	textOfExpiredCursors = "Expired"
)

// expired reports whether an error says that a cursor is too old.
func expired(fault jsonscan.Value) bool {
	code, _ := jsonrpc.Member(fault, "code").Int()
	return expiredBy(code, jsonrpc.Member(fault, "message").Str())
}

func expiredBy(code int64, message string) bool {
	return code == codeCursorExpired && strings.Contains(message, textOfExpiredCursors)
}

// polledFault returns what the error of one subscription in the answer to a poll reports.
func polledFault(fault jsonscan.Value) string {
	code, _ := jsonrpc.Member(fault, "code").Int()
	return pollFault(code, jsonrpc.Member(fault, "message").Str())
}

// pollFault is the same of an error's code and text.
func pollFault(code int64, message string) string {
	switch {
	case expiredBy(code, message):
		return mcpconv.EventsGap
	case code == codeNotFound || code == codeUnauthorized || code == codeNoSubscription:
		return mcpconv.EventsTerminated
	}
	return mcpconv.EventsError
}

// faultMethod returns what an error that is delivered alone says of its subscription.
func faultMethod(fault jsonscan.Value) string {
	if expired(fault) {
		return mcpconv.EventsGap
	}
	code, _ := jsonrpc.Member(fault, "code").Int()
	switch code {
	case codeNotFound, codeUnauthorized, codeTooMany, codeCursorExpired, codeCallback, codeNoSubscription:
		return mcpconv.EventsTerminated
	}
	return mcpconv.EventsError
}
