package body

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"slices"
	"sync"

	"github.com/golang/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"go.opentelemetry.io/collector/config/confighttp"
)

// Memory that decompressing takes beside what comes out.
const (
	smallWindow  = 1 << 20   // up to which zstd decoders are kept
	largeWindow  = 8 << 20   // which RFC 8878 wants decoders to support, and no more
	snappyFrames = 160 << 10 // two blocks
)

var errWindow = errors.New("the zstd window is larger than 8 MiB")

// Decoders are the decoders, of those the server is to have, whose memory the
// sender decides: a few bytes can make them allocate hundreds of MiB. They charge
// it before they allocate it. Their errors come with the first read, so that the
// handler answers them.
func (b *Budget) Decoders(cfg *confighttp.ServerConfig) (options []confighttp.ToServerOption) {
	for name, open := range map[string]opener{"zstd": openZstd, "lz4": openLZ4, "snappy": openSnappy} {
		if cfg.CompressionAlgorithms != nil && !slices.Contains(cfg.CompressionAlgorithms, name) {
			continue
		}
		options = append(options, confighttp.WithDecoder(name, func(source io.ReadCloser) (io.ReadCloser, error) {
			return &decoder{source: source, open: open, budget: b, limit: cfg.MaxRequestBodySize}, nil
		}))
	}
	return options
}

// opener starts decompressing what d's source begins with.
type opener func(d *decoder, source *bufio.Reader) (io.Reader, error)

// decoder decompresses a body.
type decoder struct {
	source  io.ReadCloser
	open    opener
	budget  *Budget
	limit   int64 // of what comes out
	reader  io.Reader
	charged int64
	end     func() // nil if there is nothing else to end
	err     error  // of opening
}

// Read implements io.Reader.
func (d *decoder) Read(p []byte) (int, error) {
	if d.reader == nil && d.err == nil {
		d.reader, d.err = d.open(d, bufio.NewReader(d.source))
	}
	if d.err != nil {
		return 0, d.err
	}
	return d.reader.Read(p)
}

// Close implements io.Closer. It gives back what was charged.
func (d *decoder) Close() error {
	if d.end != nil {
		d.end()
	}
	d.budget.releaseDecoding(d.charged)
	d.charged, d.end, d.reader, d.err = 0, nil, nil, http.ErrBodyReadAfterClose
	return d.source.Close()
}

func (d *decoder) charge(n int64) error {
	err := d.budget.chargeDecoding(d.charged, n)
	if err == nil {
		d.charged += n
	}
	return err
}

// decoders with a small window are kept: they are costly to make.
var zstdDecoders sync.Pool

func openZstd(d *decoder, source *bufio.Reader) (io.Reader, error) {
	start, _ := source.Peek(zstd.HeaderMaxSize) // reading meets the error again
	var header zstd.Header
	if err := header.Decode(start); err != nil {
		return nil, err
	}
	window := header.WindowSize
	if header.SingleSegment {
		window = header.FrameContentSize
	}
	switch {
	case window > largeWindow:
		return nil, errWindow
	case window > smallWindow:
		return d.openLarge(source)
	}
	return d.openSmall(source, int64(window))
}

func (d *decoder) openLarge(source io.Reader) (io.Reader, error) {
	if err := d.charge(largeWindow); err != nil {
		return nil, err
	}
	z, err := newZstd(source, largeWindow)
	if err != nil {
		return nil, err
	}
	d.end = z.Close
	return z, nil
}

func (d *decoder) openSmall(source io.Reader, window int64) (io.Reader, error) {
	if err := d.charge(2 * window); err != nil {
		return nil, err
	}
	z, ok := zstdDecoders.Get().(*zstd.Decoder)
	if !ok {
		var err error
		if z, err = newZstd(nil, smallWindow); err != nil {
			return nil, err
		}
	}
	d.end = func() {
		if z.Reset(nil) == nil {
			zstdDecoders.Put(z)
		}
	}
	err := z.Reset(source)
	return z, err
}

// newZstd bounds the windows of all frames, of which a body may have several.
func newZstd(source io.Reader, window uint64) (*zstd.Decoder, error) {
	return zstd.NewReader(source, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(window), zstd.WithDecoderMaxMemory(window))
}

// openLZ4 charges two blocks, whose size is in the frame's descriptor.
func openLZ4(d *decoder, source *bufio.Reader) (io.Reader, error) {
	block := int64(8 << 20) // of the legacy format, which says nothing
	if start, _ := source.Peek(6); len(start) == 6 && bytes.HasPrefix(start, []byte("\x04\x22\x4d\x18")) {
		block = 64 << 10 << (2 * max(0, int(start[5]>>4&7)-4))
	}
	return lz4.NewReader(source), d.charge(2 * block)
}

// openSnappy reads both formats, as confighttp's own decoder does: frames, and
// one block, which is decompressed as a whole.
func openSnappy(d *decoder, source *bufio.Reader) (io.Reader, error) {
	const frames = "\xff\x06\x00\x00sNaPpY"
	start, _ := source.Peek(len(frames))
	if string(start) == frames {
		return snappy.NewReader(source), d.charge(snappyFrames)
	}
	size, err := snappy.DecodedLen(start)
	if err != nil {
		return nil, err
	}
	if d.limit > 0 && int64(size) > d.limit {
		return nil, &http.MaxBytesError{Limit: d.limit}
	}
	if err := d.charge(int64(size)); err != nil {
		return nil, err
	}
	compressed := obtain(smallest)
	compressed.budget = d.budget
	defer compressed.Recycle()
	if err := compressed.readFrom(source, -1); err != nil {
		return nil, err
	}
	text, err := snappy.Decode(nil, compressed.data)
	return bytes.NewReader(text), err
}
