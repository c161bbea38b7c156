package faults

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/golang/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// compressors make the encodings that a sender may use, and one that the receiver does not know.
var compressors = map[string]func(io.Writer) io.WriteCloser{
	"gzip":            func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
	"zlib":            func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) },
	"deflate":         func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) },
	"x-snappy-framed": func(w io.Writer) io.WriteCloser { return snappy.NewBufferedWriter(w) },
	"snappy":          func(w io.Writer) io.WriteCloser { return &block{to: w} },
	"lz4":             func(w io.Writer) io.WriteCloser { return lz4.NewWriter(w) },
	"zstd":            newZstd,
	"br":              func(w io.Writer) io.WriteCloser { return brotli.NewWriterLevel(w, 1) },
	"flate":           func(w io.Writer) io.WriteCloser { z, _ := flate.NewWriter(w, 1); return z },
}

func newZstd(w io.Writer) io.WriteCloser {
	z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err)
	}
	return z
}

// block is snappy without frames, which has to be whole before it can be written.
type block struct {
	bytes.Buffer
	to io.Writer
}

func (b *block) Close() error {
	_, err := b.to.Write(snappy.Encode(nil, b.Bytes()))
	return err
}

// bomb is a message that is much larger than what is sent of it.
func bomb(t *testing.T, compress func(io.Writer) io.WriteCloser, unpacked int) []byte {
	t.Helper()
	var sent bytes.Buffer
	w := compress(&sent)
	_, err := io.WriteString(w, `{"jsonrpc":"2.0","method":"notifications/x","params":{"a":"`)
	require.NoError(t, err)
	some := bytes.Repeat([]byte("x"), 1<<20)
	for range unpacked >> 20 {
		_, err = w.Write(some)
		require.NoError(t, err)
	}
	_, err = io.WriteString(w, `"}}`)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return sent.Bytes()
}

// TestBombs posts bodies that unpack to much more than a body may have, to each
// endpoint, many at once.
func TestBombs(t *testing.T) {
	c := startLimited(t)
	for encoding, compress := range compressors {
		t.Run(encoding, func(t *testing.T) {
			body := bomb(t, compress, choose(64, 512)<<20)
			answers := &tally{}
			var senders sync.WaitGroup
			for i := range 32 {
				path := []string{"/v1/observations", "/v1/inspector/events", "/v1/hooks/claude-code", "/mcp"}[i%4]
				senders.Go(func() { answers.add(postTo(c.mcp, path, body, "Content-Encoding", encoding)) })
			}
			senders.Wait()
			t.Logf("%d kB each: answers %v", len(body)>>10, answers.count)
			answers.only(t, "400", "413", "415", "429", "503")
			assert.Equal(t, "202", eventuallyAccepted(t, c.mcp), "afterwards")
		})
	}
	c.checkResident(t)
}

// TestHostileMessages posts messages that are valid JSON, mostly, and nothing that
// anybody would say. Each is recorded within bounds or refused, and the collector
// goes on.
func TestHostileMessages(t *testing.T) {
	c := startLimited(t)
	million := choose(100_000, 1_000_000)
	for name, message := range map[string]string{
		"nested arrays":   `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"n","arguments":` + strings.Repeat("[", million) + strings.Repeat("]", million) + `}}`,
		"nested objects":  `{"jsonrpc":"2.0","method":"notifications/x","params":` + strings.Repeat(`{"a":`, million) + "1" + strings.Repeat("}", million) + `}`,
		"open brackets":   strings.Repeat("[", million),
		"keys":            `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"n",` + numbered(million, `"k`, `":1`) + `}}`,
		"keys of message": `{"jsonrpc":"2.0","method":"notifications/x",` + numbered(million, `"k`, `":1`) + `}`,
		"equal keys":      `{"jsonrpc":"2.0","method":"notifications/x","params":{` + strings.TrimSuffix(strings.Repeat(`"k":1,`, million), ",") + `}}`,
		"id of 19 MB":     `{"jsonrpc":"2.0","id":"` + strings.Repeat("i", 19<<20) + `","method":"tools/call","params":{"name":"n"}}`,
		"number as id":    `{"jsonrpc":"2.0","id":` + strings.Repeat("9", 1<<20) + `,"method":"tools/call","params":{"name":"n"}}`,
		"method of 19 MB": `{"jsonrpc":"2.0","method":"` + strings.Repeat("m", 19<<20) + `"}`,
		"name of 19 MB":   `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"` + strings.Repeat("n", 19<<20) + `"}}`,
		"session id":      `{"session":"` + strings.Repeat("s", 1<<20) + `","message":{"jsonrpc":"2.0","method":"notifications/x"}}`,
		"invalid UTF-8":   `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"` + "n\xff\xc0\xaf" + `","arguments":{"a":"` + "\xed\xa0\x80" + `"}}}`,
		"escapes":         `{"jsonrpc":"2.0","method":"notifications/x","params":{"a":"` + strings.Repeat(`\ud800`, million) + `"}}`,
		"zero bytes":      strings.Repeat("\x00", million),
		"spaces":          strings.Repeat(" ", 19<<20),
		"lines":           strings.Repeat("\n", 19<<20),
		"huge number":     `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1e999999}}`,
		"time":            `{"time":99999999999999999999,"session":"s","message":{"jsonrpc":"2.0","method":"notifications/x"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			answers := &tally{}
			for _, path := range []string{"/v1/observations", "/v1/inspector/events", "/v1/hooks/claude-code", "/mcp"} {
				answers.add(postTo(c.mcp, path, []byte(message)))
			}
			t.Logf("%d kB: answers %v", len(message)>>10, answers.count)
			answers.only(t, "200", "202", "400", "413", "429", "503")
		})
	}
	assert.Equal(t, "202", eventuallyAccepted(t, c.mcp), "afterwards")
	c.checkResident(t)
}

// TestTooLarge: a body over the limit is refused by its length.
func TestTooLarge(t *testing.T) {
	c := startLimited(t)
	assert.Equal(t, "413", post(c.mcp, bytes.Repeat([]byte("x"), 21<<20)))
	c.checkResident(t)
}

// numbered is a list with commas of before, a number and after.
func numbered(n int, before, after string) string {
	var list strings.Builder
	for i := range n {
		if i > 0 {
			list.WriteByte(',')
		}
		list.WriteString(before + strconv.Itoa(i) + after)
	}
	return list.String()
}

// postTo is the status of the answer, or what went wrong.
func postTo(address, path string, body []byte, headers ...string) (status string) {
	// Who refuses a body answers and closes while the client writes. net/http waits 50 ms
	// for the answer once a write has failed, which a busy machine may take: ask again.
	for range 10 {
		response, err := do(address, path, body, headers)
		if err != nil {
			status = err.Error()
			if errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET) {
				continue
			}
			return status
		}
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
		return strconv.Itoa(response.StatusCode)
	}
	return status
}

func do(address, path string, body []byte, headers []string) (*http.Response, error) {
	request, err := http.NewRequest(http.MethodPost, "http://"+address+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	return client.Do(request)
}
