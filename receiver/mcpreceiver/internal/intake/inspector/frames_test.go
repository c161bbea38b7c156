package inspector

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"github.com/tmaxmax/go-sse"
	"pgregory.net/rapid"
)

// TestFrames: frames that are too long lose their end, and only those.
func TestFrames(t *testing.T) {
	const limit = 100
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom([]string{"\n", "\r\n", "\r"}).Draw(t, "line end")
		var stream strings.Builder
		var want []string
		for range rapid.IntRange(1, 8).Draw(t, "frames") {
			data := strings.Repeat("x", rapid.IntRange(1, 3*limit).Draw(t, "data"))
			frame := "id: 7" + line + "data: " + data + line + "retry: 2000" + line + line
			want = append(want, data)
			stream.WriteString(frame)
		}
		var in io.Reader = strings.NewReader(stream.String())
		if rapid.Bool().Draw(t, "byte by byte") {
			in = iotest.OneByteReader(in)
		}
		var got []string
		sse.Read(newFrames(io.NopCloser(in), limit), nil)(func(e sse.Event, err error) bool {
			require.NoError(t, err)
			require.Equal(t, "7", e.LastEventID)
			got = append(got, e.Data)
			return true
		})
		require.Len(t, got, len(want))
		for i := range want {
			if len(want[i]) <= limit-len("id: 7\r\ndata: \r\nretry: 2000\r\n\r\n") {
				require.Equal(t, want[i], got[i])
			}
			require.True(t, strings.HasPrefix(want[i], got[i]))
			require.LessOrEqual(t, len(got[i]), limit)
		}
	})
}

// FuzzFrames: a stream without frames that are too long is passed on as it is,
// and no parser is given one that is.
func FuzzFrames(f *testing.F) {
	f.Add("id: 1\ndata: {}\nretry: 2000\n\ndata: x\r\n\r\n", uint8(20))
	f.Add("\n\r\r\n\n: comment\r", uint8(0))
	f.Fuzz(func(t *testing.T, stream string, limit uint8) {
		read := func(limit int) string {
			text, err := io.ReadAll(newFrames(io.NopCloser(strings.NewReader(stream)), limit))
			require.NoError(t, err)
			return string(text)
		}
		require.Equal(t, stream, read(len(stream)))
		sse.Read(strings.NewReader(read(int(limit))), &sse.ReadConfig{MaxEventSize: len(stream) + 1})(func(e sse.Event, _ error) bool {
			require.LessOrEqual(t, len(e.Data), int(limit))
			return true
		})
	})
}
