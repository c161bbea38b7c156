package memorylimiter

import (
	"io"
	"runtime"

	_ "go.opentelemetry.io/collector/config/configgrpc" // registers all that its servers can decompress
	"google.golang.org/grpc/encoding"
)

// turns are those of messages that are decompressed at one time. It takes processors
// and no waiting, so more at once are no faster; all would be half done and large.
var turns = make(chan struct{}, runtime.GOMAXPROCS(0))

// A server decompresses a message as soon as it has come, as a whole, and asks only
// this registry how.
func init() {
	for _, name := range []string{"gzip", "snappy", "zstd"} {
		if c := encoding.GetCompressor(name); c != nil {
			encoding.RegisterCompressor(inTurn{c})
		}
	}
}

type inTurn struct{ encoding.Compressor }

// Decompress implements encoding.Compressor.
func (c inTurn) Decompress(r io.Reader) (io.Reader, error) {
	out, err := c.Compressor.Decompress(r)
	if err != nil {
		return nil, err
	}
	return &unpacking{Reader: out}, nil
}

// unpacking waits for a turn when the message is no small one.
type unpacking struct {
	io.Reader
	bytes int
	turn  bool
}

// Read implements io.Reader.
func (u *unpacking) Read(p []byte) (int, error) {
	if u.bytes >= small && !u.turn {
		turns <- struct{}{}
		u.turn = true
	}
	n, err := u.Reader.Read(p)
	u.bytes += n
	return n, err
}

// Close implements io.Closer, as gRPC calls it whatever comes of reading.
func (u *unpacking) Close() error {
	if u.turn {
		<-turns
		u.turn = false
	}
	if c, ok := u.Reader.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
