package inspectorexporter

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/store"
)

// writeTimeout is how long one trace may take: a whole file over a slow line.
const writeTimeout = 10 * time.Minute

// trace sends a session's lines: all of them, or a range.
func (g *gateway) trace(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("session_id")
	t, err := g.find(id)
	if err != nil {
		g.refuseTrace(w, id, err)
		return
	}
	h := w.Header()
	h.Set("ETag", t.ETag)
	h.Set("Vary", "Accept-Encoding")
	h.Set("X-Trace-Epoch", strconv.Itoa(t.Epoch))
	if matches(r.Header.Get("If-None-Match"), t.ETag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Accept-Ranges", "bytes")
	h.Set("Content-Type", "application/x-ndjson")
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTimeout)) // else the server's own
	g.send(w, r, id, t)
}

// refuseTrace answers that a session's lines cannot be read.
func (g *gateway) refuseTrace(w http.ResponseWriter, id string, err error) {
	switch {
	case errors.Is(err, store.ErrID):
		refuse(w, http.StatusBadRequest, err.Error())
	case errors.Is(err, store.ErrMissing):
		refuse(w, http.StatusNotFound, err.Error())
	default:
		g.log.Error("Cannot read a session file", zap.String("session", id), zap.Error(err))
		refuse(w, http.StatusInternalServerError, "the session's files cannot be read, the collector's log tells why")
	}
}

// find is the session's trace; of one that only log records have told of it has
// no lines yet.
func (g *gateway) find(id string) (*store.Trace, error) {
	t, err := g.store.Trace(id)
	if errors.Is(err, store.ErrMissing) {
		if _, known := g.board.Row(id); known {
			return &store.Trace{ETag: `W/"0"`}, nil
		}
	}
	return t, err
}

func (g *gateway) send(w http.ResponseWriter, r *http.Request, id string, t *store.Trace) {
	h := w.Header()
	from, to, partial := byteRange(r, t.Size)
	switch {
	case r.URL.Query().Get("download") == "1":
		h.Set("Content-Type", "application/gzip")
		h.Set("Content-Disposition", `attachment; filename="`+id+`.jsonl.gz"`) // the id was checked
		g.sendGzip(w, r, t)
	case partial && from >= to:
		h.Set("Content-Range", "bytes */"+strconv.FormatInt(t.Size, 10))
		refuse(w, http.StatusRequestedRangeNotSatisfiable, "the range begins at or behind the end")
	case partial:
		h.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, to-1, t.Size))
		sendLines(w, r, t, from, to, http.StatusPartialContent)
	case t.Size > 0 && acceptsGzip(r):
		h.Set("Content-Encoding", "gzip")
		sendCompressed(w, r, t)
	default:
		sendLines(w, r, t, 0, t.Size, http.StatusOK)
	}
}

// sendCompressed sends all lines as one gzip member. The files have many, which
// RFC 1952 allows and browsers do not read: they stop behind the first.
func sendCompressed(w http.ResponseWriter, r *http.Request, t *store.Trace) {
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return
	}
	lines := t.Lines(0, t.Size)
	defer lines.Close()
	z, _ := gzip.NewWriterLevel(w, gzip.BestSpeed) // the level is valid
	if _, err := io.Copy(z, lines); err == nil {
		_ = z.Close() // without its end a body that is cut short is told from a whole one
	}
}

func (g *gateway) sendGzip(w http.ResponseWriter, r *http.Request, t *store.Trace) {
	z, size, err := t.Gzip()
	if err != nil {
		refuse(w, http.StatusInternalServerError, "the session's lines cannot be compressed")
		return
	}
	copyBody(w, r, z, size, http.StatusOK)
}

func sendLines(w http.ResponseWriter, r *http.Request, t *store.Trace, from, to int64, status int) {
	copyBody(w, r, t.Lines(from, to), to-from, status)
}

// copyBody sends what it can: a body that is cut short is told from a whole one
// by its length.
func copyBody(w http.ResponseWriter, r *http.Request, body io.ReadCloser, size int64, status int) {
	w.Header().Set("Content-Length", strconv.FormatInt(size, 10))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = io.Copy(w, body)
	}
	_ = body.Close() // was only read
}

// matches compares tags weakly, as If-None-Match does.
func matches(header, tag string) bool {
	for one := range strings.SplitSeq(header, ",") {
		one = strings.TrimSpace(one)
		if one == "*" || strings.TrimPrefix(one, "W/") == strings.TrimPrefix(tag, "W/") {
			return true
		}
	}
	return false
}

// byteRange reads a Range of one part (RFC 9110, 14.1.2); to is exclusive. What
// cannot be read, several parts, and a range under If-Range (our tags are weak
// and match nothing) are no range.
func byteRange(r *http.Request, size int64) (from, to int64, ok bool) {
	spec, found := strings.CutPrefix(r.Header.Get("Range"), "bytes=")
	if !found || r.Header.Get("If-Range") != "" {
		return 0, 0, false
	}
	first, last, found := strings.Cut(strings.TrimSpace(spec), "-")
	if !found || !digits(first) || !digits(last) || first == "" && last == "" {
		return 0, 0, false
	}
	if first == "" {
		return max(0, size-parse(last)), size, true
	}
	from, to = parse(first), size
	if last != "" {
		if parse(last) < from {
			return 0, 0, false
		}
		to = min(size, parse(last)+1)
	}
	return from, to, true
}

func digits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// parse is a number; one that is too big is bigger than any file.
func parse(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 62)
	if err != nil {
		return 1 << 60
	}
	return n
}

// acceptsGzip tells whether the client takes gzip.
func acceptsGzip(r *http.Request) bool {
	for _, header := range r.Header.Values("Accept-Encoding") {
		for coding := range strings.SplitSeq(header, ",") {
			name, weight, _ := strings.Cut(strings.TrimSpace(coding), ";")
			if name = strings.TrimSpace(name); !strings.EqualFold(name, "gzip") && name != "*" {
				continue
			}
			q := strings.TrimPrefix(strings.ReplaceAll(weight, " ", ""), "q=")
			return strings.Trim(q, "0.") != "" || q == ""
		}
	}
	return false
}
