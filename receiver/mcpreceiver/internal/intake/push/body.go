package push

import (
	"errors"
	"io"
	"mime"
	"net/http"

	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/body"
)

// unread answers a request whose body could not be read.
func (e *endpoint) unread(w http.ResponseWriter, r *http.Request, err error) {
	if code, text, ok := body.Refusal(w.Header(), err); ok {
		e.fail(w, r, code, body.Reason, text)
		return
	}
	code, text := bodyStatus(err)
	e.fail(w, r, code, "body", text)
}

func bodyStatus(err error) (status int, text string) {
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return http.StatusRequestEntityTooLarge, "the body is too large: send fewer messages at once, or raise http::max_request_body_size"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return http.StatusBadRequest, "the body ended early"
	}
	return http.StatusBadRequest, "the body could not be read: check Content-Encoding and Content-Length"
}

// mediaType is the content type without its parameters, "" if there is none. Most
// are known as they are.
func mediaType(r *http.Request, known func(string) bool) string {
	text := r.Header.Get("Content-Type")
	if known(text) {
		return text
	}
	t, _, err := mime.ParseMediaType(text)
	if err != nil {
		return ""
	}
	return t
}

func isJSON(mediaType string) bool {
	switch mediaType {
	case "application/json", "application/x-ndjson", "application/ndjson", "application/jsonl",
		"application/x-jsonlines", "application/json-lines":
		return true
	}
	return false
}
