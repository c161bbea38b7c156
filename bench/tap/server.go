package main

import (
	"bufio"
	"bytes"
	"io"
	"strings"
)

const largeBytes = 10_000_000

// request is 200 bytes with its line feed.
var request = []byte(`{"jsonrpc":"2.0","id":12345,"method":"tools/call","params":{"name":"echo","arguments":{"text":"` +
	strings.Repeat("a", 200-101) + "\"}}}\n")

// largeRequest asks for a large reply.
var largeRequest = []byte(`{"jsonrpc":"2.0","id":12345,"method":"tools/call","params":{"name":"large"}}` + "\n")

var (
	reply      = []byte(`{"jsonrpc":"2.0","id":12345,"result":{"content":[{"type":"text","text":"` + strings.Repeat("b", 100) + "\"}]}}\n")
	largeReply = []byte(`{"jsonrpc":"2.0","id":12345,"result":{"content":[{"type":"text","text":"` + strings.Repeat("b", largeBytes) + "\"}]}}\n")
)

// serve answers every line; what is in one read is answered with one write.
func serve(in io.Reader, out io.Writer) {
	lines := bufio.NewReaderSize(in, 64<<10)
	w := bufio.NewWriterSize(out, 64<<10)
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil {
			return
		}
		if bytes.Contains(line, []byte(`"large"`)) {
			_, err = w.Write(largeReply)
		} else {
			_, err = w.Write(reply)
		}
		if err == nil && lines.Buffered() == 0 {
			err = w.Flush()
		}
		if err != nil {
			return
		}
	}
}
