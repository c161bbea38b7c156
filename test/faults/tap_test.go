package faults

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// tapMiB bounds the resident memory of mcptap: 8 MiB of records that wait, messages
// of 1 MiB, and the program itself.
const tapMiB = 80

// nobody is where no collector listens, so that all that is recorded waits.
func nobody(t *testing.T) string {
	return "http://" + harness.FreeAddress(t) + "/v1/observations"
}

func needProc(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		harness.Missing(t, "resident memory is read from /proc, which only Linux has")
	}
}

// TestTapOfHostileServer: a server that writes without end costs mcptap no more
// memory than one that does not, and the client gets all of it.
func TestTapOfHostileServer(t *testing.T) {
	needProc(t)
	megabytes := choose(100, 2000)
	for name, script := range map[string]string{
		"one line":   `head -c %dM /dev/zero | tr '\0' x; read -r line`,
		"brackets":   `head -c %dM /dev/zero | tr '\0' '['; read -r line`,
		"lines":      `head -c %dM /dev/zero | tr '\0' '\n'; read -r line`,
		"one string": `printf '{"jsonrpc":"2.0","id":"'; head -c %dM /dev/zero | tr '\0' i; read -r line`,
	} {
		t.Run(name, func(t *testing.T) {
			tap := exec.Command(harness.Tap(t), "--endpoint", nobody(t), "--", "/bin/sh", "-c", fmt.Sprintf(script, megabytes))
			in, err := tap.StdinPipe()
			require.NoError(t, err)
			out, err := tap.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, tap.Start())
			n, err := io.CopyN(io.Discard, out, int64(megabytes)<<20)
			require.NoError(t, err)
			peak := residentPeak(t, tap.Process.Pid)
			t.Logf("%d MB passed, peak of resident memory %d MiB", n>>20, peak)
			assert.LessOrEqual(t, peak, tapMiB)
			require.NoError(t, in.Close())
			_, _ = io.Copy(io.Discard, out)
			_ = tap.Wait() // it has nowhere to report to
		})
	}
}

// TestTapOfHostileTarget is the same over HTTP, with answers that unpack to much
// more than is sent, and with answers that lead elsewhere.
func TestTapOfHostileTarget(t *testing.T) {
	needProc(t)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { assert.Fail(t, "mcptap followed") }))
	t.Cleanup(elsewhere.Close)
	bombs := map[string][]byte{}
	for _, encoding := range []string{"gzip", "deflate", "br", "zstd"} {
		bombs[encoding] = bomb(t, compressors[encoding], choose(64, 512)<<20)
	}
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		encoding := strings.TrimPrefix(r.URL.Path, "/")
		switch body := bombs[encoding]; {
		case body != nil:
			w.Header().Set("Content-Encoding", encoding)
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(body)
		case encoding == "redirect":
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		default:
			endless(w, r, "text/event-stream", "data: "+strings.Repeat("x", 1<<16)+"\n", 0)
		}
	}))
	t.Cleanup(func() { target.CloseClientConnections(); target.Close() })
	address := harness.FreeAddress(t)
	tap := harness.Start(t, "mcptap", harness.Tap(t), nil, []string{"http", "--listen", address, "--target", target.URL, "--endpoint", nobody(t)})
	tap.Ready(t, func() bool { return harness.Listens(address) })
	raw := &http.Client{
		Transport:     &http.Transport{DisableCompression: true},
		Timeout:       harness.Patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	call := func(path string) *http.Response {
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q}}`, path)
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+"/"+path, strings.NewReader(body))
		require.NoError(t, err)
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept-Encoding", "gzip, deflate, br, zstd")
		response, err := raw.Do(request)
		require.NoError(t, err, path)
		return response
	}
	for encoding, sent := range bombs {
		response := call(encoding)
		got, err := io.ReadAll(response.Body)
		require.NoError(t, err, encoding)
		require.NoError(t, response.Body.Close())
		assert.Len(t, got, len(sent), "the client gets what the target sent, as %s", encoding)
	}
	response := call("redirect")
	require.NoError(t, response.Body.Close())
	assert.Equal(t, http.StatusTemporaryRedirect, response.StatusCode, "it is for the client to follow, or not")
	response = call("endless")
	_, err := io.CopyN(io.Discard, response.Body, int64(choose(100, 2000))<<20)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	peak := residentPeak(t, tap.ID())
	t.Logf("peak of resident memory %d MiB", peak)
	assert.LessOrEqual(t, peak, tapMiB)
}
