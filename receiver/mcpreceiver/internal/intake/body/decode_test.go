package body

import (
	"bytes"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/golang/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/confighttp"
)

// server reads bodies as the receiver does. used is what was charged while a
// body was whole.
func server(t *testing.T, budget *Budget) (do func(encoding string, body []byte) (status int, text string), used *int64) {
	cfg := confighttp.NewDefaultServerConfig()
	cfg.MaxRequestBodySize = 1 << 20
	used = new(int64)
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got, err := Read(r, budget, 0)
		if err != nil {
			status, text, ok := Refusal(w.Header(), err)
			if !ok {
				status, text = http.StatusBadRequest, err.Error()
			}
			http.Error(w, text, status)
			return
		}
		defer got.Recycle()
		*used = budget.Used()
		_, _ = w.Write(got.Bytes())
	})
	s, err := cfg.ToServer(t.Context(), nil, componenttest.NewNopTelemetrySettings(), handler, budget.Decoders(&cfg)...)
	require.NoError(t, err)
	return func(encoding string, body []byte) (int, string) {
		r := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(body))
		r.Header.Set("Content-Encoding", encoding)
		w := httptest.NewRecorder()
		s.Handler.ServeHTTP(w, r)
		require.Zero(t, budget.Used(), "all is given back")
		return w.Code, w.Body.String()
	}, used
}

func zstdOf(t *testing.T, text []byte, options ...zstd.EOption) []byte {
	var out bytes.Buffer
	z, err := zstd.NewWriter(&out, options...)
	require.NoError(t, err)
	return closed(t, &out, z, text)
}

func closed(t *testing.T, out *bytes.Buffer, w io.WriteCloser, text []byte) []byte {
	_, err := w.Write(text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return out.Bytes()
}

func TestDecoders(t *testing.T) {
	do, used := server(t, NewBudget(64<<20))
	random := make([]byte, 700_000)
	for i := range random {
		random[i] = byte('a' + rand.IntN(16))
	}
	for _, text := range [][]byte{nil, []byte("short"), random} {
		var lz, framed bytes.Buffer
		for name, body := range map[string][]byte{
			"zstd":            zstdOf(t, text),
			"zstd small":      zstdOf(t, text, zstd.WithWindowSize(64<<10)),
			"snappy":          snappy.Encode(nil, text),
			"snappy framed":   closed(t, &framed, snappy.NewBufferedWriter(&framed), text),
			"lz4":             closed(t, &lz, lz4.NewWriter(&lz), text),
			"zstd two frames": append(zstdOf(t, text[:len(text)/2]), zstdOf(t, text[len(text)/2:])...),
		} {
			encoding, _, _ := strings.Cut(name, " ")
			for range 2 { // with a decoder that was used before
				if len(body) == 0 {
					continue
				}
				status, got := do(encoding, body)
				require.Equal(t, http.StatusOK, status, "%s of %d bytes: %s", name, len(text), got[:min(len(got), 100)])
				require.Equal(t, string(text), got)
				assert.GreaterOrEqual(t, *used, int64(len(text)))
			}
		}
	}
}

// TestDecodersAllocateNothingUnasked sends a few bytes that want much memory.
func TestDecodersAllocateNothingUnasked(t *testing.T) {
	const raw = "\x20\x00\x00abcd" // a block of 4 bytes, and there is more
	single := binary.LittleEndian.AppendUint64([]byte("\x28\xb5\x2f\xfd\xe0"), 60<<30)
	for name, tt := range map[string]struct {
		body   string
		budget int64
		status int
		text   string
	}{
		"zstd window of 512 MiB":    {"\x28\xb5\x2f\xfd\x00\x98" + raw, 64 << 20, 400, "window is larger than 8 MiB"},
		"zstd window of 8 MiB":      {"\x28\xb5\x2f\xfd\x00\x68" + raw, 1 << 20, 413, "in_flight_bytes"},
		"zstd content of 60 GiB":    {string(single) + raw, 64 << 20, 400, "window is larger than 8 MiB"},
		"zstd second frame":         {string(zstdOf(t, []byte("short"))) + "\x28\xb5\x2f\xfd\x00\x98" + raw, 64 << 20, 400, "window size exceeded"},
		"zstd not at all":           {"zstd", 64 << 20, 400, ""},
		"lz4 blocks of 4 MiB":       {"\x04\x22\x4d\x18\x40\x70\xdf", 1 << 20, 413, "in_flight_bytes"},
		"lz4 legacy":                {"\x02\x21\x4c\x18\x40\x70\xdf", 1 << 20, 413, "in_flight_bytes"},
		"snappy of 20 MiB":          {"\x80\x80\x80\x0aabcd", 64 << 20, 400, "too large"},
		"snappy over the budget":    {"\x80\x80\x20abcd", 1 << 10, 413, "in_flight_bytes"},
		"snappy damaged":            {"\x80\x20abcd", 64 << 20, 400, "corrupt"},
		"snappy frames over budget": {"\xff\x06\x00\x00sNaPpY", 1 << 10, 413, "in_flight_bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			do, _ := server(t, NewBudget(tt.budget))
			encoding, _, _ := strings.Cut(name, " ")
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			status, text := do(encoding, []byte(tt.body))
			runtime.ReadMemStats(&after)
			assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(4<<20), "bytes allocated")
			assert.Equal(t, tt.status, status, text)
			assert.Contains(t, text, tt.text)
		})
	}
}

func TestDecodersThatTheUserTurnedOff(t *testing.T) {
	assert.Len(t, NewBudget(1).Decoders(&confighttp.ServerConfig{}), 3)
	assert.Len(t, NewBudget(1).Decoders(&confighttp.ServerConfig{CompressionAlgorithms: []string{"gzip", "zstd"}}), 1)
	assert.Empty(t, NewBudget(1).Decoders(&confighttp.ServerConfig{CompressionAlgorithms: []string{}}))
}
