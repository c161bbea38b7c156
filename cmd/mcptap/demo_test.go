//go:build unix

package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The demo says where to look, and what to do where no collector answers.
func TestDemo(t *testing.T) {
	newHome(t, nil)
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		switch {
		case r.Method == http.MethodGet:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case r.URL.Path == "/v1/observations":
			w.WriteHeader(http.StatusAccepted)
		}
	}))
	defer collector.Close()
	run := func(args ...string) error {
		cmd, _ := root()
		cmd.SetOut(io.Discard)
		cmd.SetArgs(append([]string{"demo"}, args...))
		return cmd.Execute()
	}
	require.NoError(t, run("--endpoint", collector.URL, "--otlp-endpoint", collector.URL, "--speed", "100000"))
	require.ErrorContains(t, run("--endpoint", "http://127.0.0.1:1"), "no collector answers at http://127.0.0.1:1. Start it: ")
	assert.ErrorContains(t, run("--endpoint", collector.URL, "--speed", "0"), "--speed 0 is not greater than 0")
}
