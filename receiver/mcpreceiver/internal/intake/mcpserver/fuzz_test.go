package mcpserver

import (
	"bytes"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whatever is sent, the answer is of a kind that clients understand, and the
// server goes on.
func FuzzPost(f *testing.F) {
	for _, body := range []string{
		initialize, list, heartbeatNote, "[" + heartbeatNote + "," + list + "]", callOf("host_heartbeat", `{"phase":"idle"}`),
		`{"jsonrpc":"2.0","id":1,"result":{}}`, `[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":1,"method":"ping"}]`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`,
		`{"id":1,"method":"ping","jsonrpc":"2.0","id":null}`,
	} {
		f.Add([]byte(body), "")
		f.Add([]byte(body), "2025-11-25")
		f.Add([]byte(body), "2026-07-28")
	}
	b := newBench(f)
	f.Fuzz(func(t *testing.T, body []byte, version string) {
		w := b.post(string(body)+" ", versionHeader, version, "Mcp-Method", "tools/list")
		switch w.Code {
		case http.StatusAccepted:
			require.Empty(t, w.Body.Bytes())
			require.True(t, json.Valid(body))
		case http.StatusOK:
			require.True(t, json.Valid(w.Body.Bytes()), "%s", w.Body)
		case http.StatusBadRequest, http.StatusNotFound:
		default:
			require.Fail(t, "unexpected status", w.Code)
		}
		require.LessOrEqual(t, len(b.sessions.index), sessionsMax)
		b.spans = nil
	})
}

// What the front takes for the requests of a body is what it hands on.
func FuzzParse(f *testing.F) {
	f.Add([]byte("[" + heartbeatNote + "," + list + "," + initialize + "]"))
	f.Add([]byte(list))
	f.Fuzz(func(t *testing.T, text []byte) {
		b, failed := parse(text)
		if failed != nil {
			require.GreaterOrEqual(t, failed.status, http.StatusBadRequest)
			return
		}
		require.True(t, json.Valid(text))
		if len(b.requests) == 0 {
			return
		}
		again, failed := parse(b.asked())
		require.Nil(t, failed)
		require.Len(t, again.messages, len(b.requests))
		for i, m := range again.requests {
			require.Equal(t, m.Raw, b.requests[i].Raw)
		}
		require.False(t, bytes.HasPrefix(b.asked(), []byte("[[")))
	})
}
