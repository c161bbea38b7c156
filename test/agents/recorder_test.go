package agents

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

// recorder writes each body that an agent sends to a folder of its own, as
// pretty JSON: OTLP of any encoding, and hooks.
type recorder struct {
	url, dir string

	mu    sync.Mutex
	count map[string]int
	err   error
}

// record starts a recorder that writes below dir until the test ends.
func record(t *testing.T, dir string) *recorder {
	t.Helper()
	r := &recorder{dir: dir, count: map[string]int{}}
	mux := http.NewServeMux()
	for _, signal := range []string{"logs", "traces", "metrics"} {
		mux.HandleFunc("POST /v1/"+signal, func(w http.ResponseWriter, q *http.Request) { r.keep(w, q, signal) })
	}
	mux.HandleFunc("POST /v1/hooks/{agent}", func(w http.ResponseWriter, q *http.Request) { r.keep(w, q, "hooks") })
	server := httptest.NewServer(mux)
	r.url = server.URL
	t.Cleanup(func() {
		server.Close()
		require.NoError(t, r.err)
		t.Logf("recorded below %s: %v", dir, r.count)
	})
	return r
}

func (r *recorder) keep(w http.ResponseWriter, q *http.Request, kind string) {
	body, err := readAll(q)
	if err == nil && kind != "hooks" && !strings.Contains(q.Header.Get("Content-Type"), "json") {
		body, err = toJSON(kind, body)
	}
	if err == nil {
		err = r.writeEach(kind, body)
	}
	if err != nil {
		r.mu.Lock()
		r.err = fmt.Errorf("%s: %w", kind, err)
		r.mu.Unlock()
	}
	if kind == "hooks" {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set("Content-Type", q.Header.Get("Content-Type"))
	if strings.Contains(q.Header.Get("Content-Type"), "json") {
		_, _ = io.WriteString(w, "{}")
	}
}

func readAll(q *http.Request) ([]byte, error) {
	if q.Header.Get("Content-Encoding") != "gzip" {
		return io.ReadAll(q.Body)
	}
	z, err := gzip.NewReader(q.Body)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

// readRaw reads a body as sent, and leaves it to be read again.
func readRaw(q *http.Request) ([]byte, error) {
	body, err := io.ReadAll(q.Body)
	q.Body = newBody(body)
	return body, err
}

func newBody(data []byte) io.ReadCloser { return io.NopCloser(bytes.NewReader(data)) }

// toJSON decodes protobuf.
func toJSON(signal string, body []byte) ([]byte, error) {
	switch signal {
	case "logs":
		r := plogotlp.NewExportRequest()
		if err := r.UnmarshalProto(body); err != nil {
			return nil, err
		}
		return r.MarshalJSON()
	case "traces":
		r := ptraceotlp.NewExportRequest()
		if err := r.UnmarshalProto(body); err != nil {
			return nil, err
		}
		return r.MarshalJSON()
	default:
		r := pmetricotlp.NewExportRequest()
		if err := r.UnmarshalProto(body); err != nil {
			return nil, err
		}
		return r.MarshalJSON()
	}
}

// writeEach keeps what a body has: one object, or more of them, one a line.
func (r *recorder) writeEach(kind string, body []byte) error {
	d := json.NewDecoder(bytes.NewReader(body))
	for {
		var one json.RawMessage
		if err := d.Decode(&one); err == io.EOF {
			return nil
		} else if err != nil {
			return fmt.Errorf("%w: %q", err, body)
		}
		if err := r.write(kind, one); err != nil {
			return err
		}
	}
}

func (r *recorder) write(kind string, body []byte) error {
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, body, "", " "); err != nil {
		return fmt.Errorf("%w: %q", err, body)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.count[kind]++
	path := filepath.Join(r.dir, kind, fmt.Sprintf("%03d.json", r.count[kind]))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, append(pretty.Bytes(), '\n'), 0o600)
}
