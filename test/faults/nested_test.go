package faults

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// nestedLogs is an export of one log record in protobuf, whose body is a list in a
// list and so on.
func nestedLogs(levels int) []byte {
	text := []byte("\x00\x0a") // all of it backwards: an empty text
	size := 2
	for range levels {
		for _, field := range []byte{1, 5} { // the values of a list, and a value that is one
			size += prepend(&text, field, size)
		}
	}
	for _, field := range []byte{5, 2, 2, 1} { // body, log record, scope, resource
		size += prepend(&text, field, size)
	}
	slices.Reverse(text)
	return text
}

// prepend puts the tag and the length of a message before it.
func prepend(reversed *[]byte, field byte, size int) int {
	head := binary.AppendUvarint([]byte{field<<3 | 2}, uint64(size))
	slices.Reverse(head)
	*reversed = append(*reversed, head...)
	return len(head)
}

// TestNestedTelemetry exports values within values, over HTTP and gRPC. Decoding
// them all would end the process: it has no stack for them.
func TestNestedTelemetry(t *testing.T) {
	otlp, rpc := harness.FreeAddress(t), harness.FreeAddress(t)
	c := startLimited(t, fmt.Sprintf(`receivers: {mcp: {otlp: {protocols: {grpc: {endpoint: %q}, http: {endpoint: %q}}}}}`, rpc, otlp))
	assert.Equal(t, "200", exportTo(t, otlp, nestedLogs(30), ""), "a sane one")
	for _, levels := range []int{1000, 100_000, 1_000_000, 1_900_000} {
		text := nestedLogs(levels)
		var zipped bytes.Buffer
		z := gzip.NewWriter(&zipped)
		_, err := z.Write(text)
		require.NoError(t, err)
		require.NoError(t, z.Close())
		t.Logf("%d levels: %d kB, as gzip %d kB", levels, len(text)/1000, zipped.Len()/1000)
		assert.Equal(t, "400", exportTo(t, otlp, text, ""))
		assert.Equal(t, "400", exportTo(t, otlp, zipped.Bytes(), "gzip"))
	}
	deep := strings.Repeat(`{"arrayValue":{"values":[`, 700_000) + `{}` + strings.Repeat(`]}}`, 700_000)
	status := postTo(otlp, "/v1/logs", []byte(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":`+deep+`}]}]}]}`))
	assert.Equal(t, "400", status, "JSON")
	assert.ErrorContains(t, exportRaw(t, rpc, nestedLogs(400_000)), "nested too deeply")
	assert.NoError(t, exportRaw(t, rpc, nestedLogs(30)))
	assert.Equal(t, "202", eventuallyAccepted(t, c.mcp), "afterwards")
	t.Logf("slowest answer of the health check %v", c.slowestHealth(t))
	c.checkResident(t)
}

// exportTo is the status of the answer to protobuf.
func exportTo(t *testing.T, address string, body []byte, encoding string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+"/v1/logs", bytes.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/x-protobuf")
	if encoding != "" {
		request.Header.Set("Content-Encoding", encoding)
	}
	response, err := client.Do(request)
	if err != nil {
		return err.Error()
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, response.Body)
	return strconv.Itoa(response.StatusCode)
}
