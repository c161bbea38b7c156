package push

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"sync"
)

// keepBytes is up to which size a buffer is worth keeping for the next body.
const keepBytes = 1 << 20

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// readBody reads the whole body into a buffer that the caller gives back with
// putBuffer when nothing refers to it any more.
func readBody(r *http.Request) (*bytes.Buffer, error) {
	buf := buffers.Get().(*bytes.Buffer)
	buf.Reset()
	if n := r.ContentLength; n > 0 && n < keepBytes {
		buf.Grow(int(n) + bytes.MinRead)
	}
	_, err := buf.ReadFrom(r.Body)
	if err != nil {
		putBuffer(buf)
		return nil, err
	}
	return buf, nil
}

func putBuffer(buf *bytes.Buffer) {
	if buf.Cap() <= keepBytes {
		buffers.Put(buf)
	}
}

// bodyStatus is the answer to a body that could not be read.
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

// mediaType is the content type without its parameters, "" if there is none.
func mediaType(r *http.Request) string {
	t, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
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
