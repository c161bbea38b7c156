package observation

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// Append appends the record as one line of NDJSON, with its line feed. message
// is the JSON-RPC message as sent, valid JSON, or nil for a record that has an
// End or a TransportStatus; line breaks in it, which JSON has between tokens
// only, become spaces. Nothing else of it is changed.
func (r *Record) Append(dst, message []byte) []byte {
	dst = append(dst, `{"time":`...)
	dst = strconv.AppendInt(dst, r.Time, 10)
	dst = r.appendTexts(dst)
	if r.Bytes != 0 {
		dst = strconv.AppendInt(append(dst, `,"bytes":`...), r.Bytes, 10)
	}
	if r.Reduced {
		dst = append(dst, `,"reduced":true`...)
	}
	if r.Unanswered {
		dst = append(dst, `,"unanswered":true`...)
	}
	if r.HTTPStatus != 0 {
		dst = strconv.AppendInt(append(dst, `,"http_status":`...), r.HTTPStatus, 10)
	}
	if r.End.Present {
		dst = r.End.appendTo(append(dst, `,"end":`...))
	}
	if message != nil {
		dst = append(dst, `,"message":`...)
		from := len(dst)
		dst = append(dst, message...)
		oneLine(dst[from:])
	}
	return append(dst, '}', '\n')
}

func (r *Record) appendTexts(dst []byte) []byte {
	for _, member := range [...]struct{ key, value string }{
		{`,"connection":`, r.Connection},
		{`,"session":`, r.Session},
		{`,"host":`, r.Host},
		{`,"direction":`, r.Direction},
		{`,"transport":`, r.Transport},
		{`,"server":`, r.Server},
		{`,"server_uri":`, r.ServerURI},
		{`,"client":`, r.Client},
		{`,"protocol":`, r.Protocol},
		{`,"mcp_session_id":`, r.MCPSessionID},
		{`,"request_id":`, r.RequestID},
		{`,"traceparent":`, r.Traceparent},
		{`,"tracestate":`, r.Tracestate},
		{`,"transport_status":`, r.TransportStatus},
		{`,"agent_session":`, r.AgentSession},
		{`,"process":`, r.Process},
		{`,"delivery":`, r.Delivery},
		{`,"subscription_id":`, r.Subscription},
	} {
		if member.value != "" {
			dst = appendString(append(dst, member.key...), member.value)
		}
	}
	return dst
}

func (e *End) appendTo(dst []byte) []byte {
	dst = appendString(append(dst, `{"reason":`...), e.Reason)
	if e.HasExitCode {
		dst = strconv.AppendInt(append(dst, `,"exit_code":`...), e.ExitCode, 10)
	}
	return append(dst, '}')
}

// appendString appends s as a JSON string; bytes that are not UTF-8 become
// U+FFFD.
func appendString(dst []byte, s string) []byte {
	if plain(s) {
		return append(append(append(dst, '"'), s...), '"')
	}
	quoted, err := json.Marshal(s)
	if err != nil { // no string makes it fail
		return append(dst, `""`...)
	}
	return append(dst, quoted...)
}

// plain reports whether s needs no escape.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func oneLine(text []byte) {
	for _, lineBreak := range []byte("\r\n") {
		for rest := text; ; {
			i := bytes.IndexByte(rest, lineBreak)
			if i < 0 {
				break
			}
			rest[i] = ' '
			rest = rest[i+1:]
		}
	}
}
