package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// everything is the recorded session of the everything server.
var everything = filepath.Join(root, "test", "peers", "transcripts", "everything.ndjson")

// transcript is a recorded session: one observation record a line.
type transcript struct {
	body  []byte
	lines [][]byte
}

func readTranscript(t *testing.T, path string) transcript {
	t.Helper()
	body, err := os.ReadFile(path)
	require.NoError(t, err)
	body = bytes.TrimSuffix(body, []byte("\n"))
	return transcript{body: body, lines: bytes.Split(body, []byte("\n"))}
}

// observation is what a test needs to know of a record.
type observation struct {
	Time      string          `json:"time"`
	Session   string          `json:"session"`
	Direction string          `json:"direction"`
	Message   *message        `json:"message"`
	End       json.RawMessage `json:"end"`
}

type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Result *struct {
		IsError bool `json:"isError"`
	} `json:"result"`
	Error *struct {
		Code int `json:"code"`
	} `json:"error"`
}

func (tr transcript) observations(t *testing.T) []observation {
	t.Helper()
	all := make([]observation, len(tr.lines))
	for i, line := range tr.lines {
		require.NoError(t, json.Unmarshal(line, &all[i]), "line %d", i+1)
	}
	return all
}

// upTo cuts the transcript after the first record that passes the test.
func (tr transcript) upTo(t *testing.T, last func(observation) bool) transcript {
	t.Helper()
	for i, each := range tr.observations(t) {
		if last(each) {
			lines := tr.lines[:i+1]
			return transcript{body: bytes.Join(lines, []byte("\n")), lines: lines}
		}
	}
	require.FailNow(t, "no such record in the transcript")
	return transcript{}
}
