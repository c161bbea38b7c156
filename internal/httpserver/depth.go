package httpserver

import (
	"io"
	"mime"
	"net/http"

	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
)

// LimitDepth fails the reading of OTLP bodies that are nested too deeply: the decoder calls
// itself for each level, and Go ends a process whose stack reaches 1 GB. It must come after
// decompression.
func LimitDepth(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
		switch media {
		case "application/x-protobuf":
			r.Body = &depthLimited{ReadCloser: r.Body, check: new(nesting).add}
		case "application/json":
			r.Body = &depthLimited{ReadCloser: r.Body, check: new(brackets).add}
		}
		next.ServeHTTP(w, r)
	})
}

// depthLimited fails to be read when it is nested too deeply.
type depthLimited struct {
	io.ReadCloser
	check  func([]byte) error
	failed error
}

// Read implements io.Reader.
func (b *depthLimited) Read(p []byte) (int, error) {
	if b.failed != nil {
		return 0, b.failed
	}
	n, err := b.ReadCloser.Read(p)
	if b.failed = b.check(p[:n]); b.failed != nil {
		return 0, b.failed
	}
	return n, err
}

// LimitDepthGRPC makes a gRPC server refuse messages that are nested too deeply, before it
// decodes them.
func LimitDepthGRPC() grpc.ServerOption {
	return grpc.ForceServerCodecV2(depthCodec{encoding.GetCodecV2(proto.Name)})
}

// depthCodec decodes a message after a look at its nesting.
type depthCodec struct{ encoding.CodecV2 }

// Unmarshal implements encoding.CodecV2.
func (c depthCodec) Unmarshal(data mem.BufferSlice, v any) error {
	var n nesting
	for _, some := range data {
		if err := n.add(some.ReadOnlyData()); err != nil {
			return err
		}
	}
	return c.CodecV2.Unmarshal(data, v)
}
