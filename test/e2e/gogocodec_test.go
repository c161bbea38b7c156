package e2e

import (
	gogoproto "github.com/gogo/protobuf/proto"
	"google.golang.org/grpc/mem"
)

// gogoCodec speaks protobuf with Jaeger's messages, whose types gRPC's own
// codec cannot handle.
type gogoCodec struct{}

func (gogoCodec) Name() string { return "proto" }

func (gogoCodec) Marshal(v any) (mem.BufferSlice, error) {
	b, err := gogoproto.Marshal(v.(gogoproto.Message))
	return mem.BufferSlice{mem.SliceBuffer(b)}, err
}

func (gogoCodec) Unmarshal(data mem.BufferSlice, v any) error {
	return gogoproto.Unmarshal(data.Materialize(), v.(gogoproto.Message))
}
