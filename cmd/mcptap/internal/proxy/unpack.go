package proxy

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// windowMax bounds the window of decompression, as RFC 9659 has it for zstd.
const windowMax = 8 << 20

// unpackers are the codings of bodies that clients ask for, by their names in
// Content-Encoding (RFC 9110, 8.4.1, and the registry of codings).
var unpackers = map[string]func(io.Reader) (io.Reader, error){
	"gzip":    func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
	"x-gzip":  func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
	"br":      func(r io.Reader) (io.Reader, error) { return brotli.NewReader(r), nil },
	"deflate": inflated,
	"zstd": func(r io.Reader) (io.Reader, error) {
		return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(windowMax))
	},
}

// inflated reads deflate, which is meant to be zlib's and is without its header
// from some.
func inflated(r io.Reader) (io.Reader, error) {
	b := bufio.NewReader(r)
	head, err := b.Peek(2)
	if err != nil {
		return nil, err
	}
	if head[0]&0x0f == 8 && (int(head[0])<<8|int(head[1]))%31 == 0 {
		return zlib.NewReader(b)
	}
	return flate.NewReader(b), nil
}

// unpacked gives what is fed to it on to part, unpacked. wait is for the end of
// that, and its error says why not all could be.
func unpacked(unpack func(io.Reader) (io.Reader, error), part func([]byte)) (feed func([]byte), wait func() error) {
	r, w := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := each(unpack, r, part)
		_, _ = io.Copy(io.Discard, r) // never blocks feed
		done <- err
	}()
	return func(p []byte) { _, _ = w.Write(p) }, func() error {
		_ = w.Close()
		return <-done
	}
}

func each(unpack func(io.Reader) (io.Reader, error), r io.Reader, part func([]byte)) (err error) {
	defer func() { // what does not concern the two must not end them
		if mistake := recover(); mistake != nil {
			err = fmt.Errorf("cannot unpack: %v", mistake)
		}
	}()
	z, err := unpack(r)
	if err != nil {
		return err
	}
	for buffer := make([]byte, 32<<10); ; {
		n, err := z.Read(buffer)
		part(buffer[:n])
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}
