package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// exports is a web UI that echoes what it is asked for.
func exports(t *testing.T) (url string) {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /_inspector/sessions/{id}/export", func(w http.ResponseWriter, r *http.Request) {
		switch r.PathValue("id") {
		case "missing":
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write([]byte(`{"error":"no such session"}`))
		case "cut":
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte("half"))
		default:
			_, _ = w.Write([]byte(r.PathValue("id") + " " + r.URL.RawQuery))
		}
	})
	mux.HandleFunc("GET /_inspector/sessions", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"sessions":[{"id":"s-1","title":"Fix the total"}]}`))
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

func runExport(t *testing.T, url string, args ...string) (string, error) {
	t.Helper()
	cmd, _ := root()
	var out bytes.Buffer
	cmd.SetOut(&out)
	cmd.SetArgs(append(args, "--web-ui", url))
	err := cmd.Execute()
	return out.String(), err
}

func TestExport(t *testing.T) {
	t.Chdir(t.TempDir())
	url := exports(t)
	for _, c := range []struct{ flag, file, query string }{
		{"--html", "s-1.html", "s-1 format=html&payloads=true"},
		{"--json", "s-1.json", "s-1 format=json&payloads=true"},
		{"--otlp", "s-1.otlp.jsonl", "s-1 format=otlp&payloads=true"},
	} {
		_, err := runExport(t, url, "export", "s-1", c.flag)
		require.NoError(t, err)
		text, err := os.ReadFile(c.file)
		require.NoError(t, err)
		assert.Equal(t, c.query, string(text))
		info, err := os.Stat(c.file)
		require.NoError(t, err)
		assert.Zero(t, info.Mode().Perm()&0o077, "it may hold payloads")
	}
	_, err := runExport(t, url, "export", "s-1")
	require.ErrorContains(t, err, "s-1.html is there already")
	_, err = runExport(t, url, "export", "s-1", "--no-payloads", "--force")
	require.NoError(t, err)
	text, err := os.ReadFile("s-1.html")
	require.NoError(t, err)
	assert.Equal(t, "s-1 format=html&payloads=false", string(text))
	out, err := runExport(t, url, "export", "s-1", "-o", "-")
	require.NoError(t, err)
	assert.Equal(t, "s-1 format=html&payloads=true", out)
}

func TestExportFails(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	url := exports(t)
	_, err := runExport(t, url, "export", "missing")
	require.EqualError(t, err, "no such session: the address of a session's page at "+url+"/_inspector/ui has its id")
	_, err = runExport(t, url, "export", "cut")
	require.Error(t, err)
	_, err = runExport(t, url, "export")
	require.ErrorContains(t, err, "name the session")
	_, err = runExport(t, url, "export", "s-1", "--json", "--otlp")
	require.Error(t, err)
	_, err = runExport(t, "http://127.0.0.1:1", "export", "s-1")
	require.ErrorContains(t, err, "is the collector running?")
	left, err := filepath.Glob(filepath.Join(folder, "*"))
	require.NoError(t, err)
	assert.Empty(t, left, "nothing is left of what failed")
}

func TestExportCompletesSessions(t *testing.T) {
	cmd, _ := root()
	var out bytes.Buffer
	cmd.SetOut(&out)
	cmd.SetArgs([]string{"__complete", "export", "--web-ui", exports(t), ""})
	require.NoError(t, cmd.Execute())
	assert.Contains(t, out.String(), "s-1\tFix the total\n")
}
