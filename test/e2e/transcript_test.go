package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

var (
	// scenarios are the recorded sessions.
	scenarios = []string{"everything", "waits"}
	// replayed lists the scenarios with a golden file.
	replayed = scenarios
)

// everything is the one that most tests replay.
var everything = recorded("everything")

func recorded(scenario string) string {
	return filepath.Join(peers, "transcripts", scenario+".ndjson")
}

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

// observation holds what a test needs to know of a record.
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
	Params struct {
		Meta struct {
			Traceparent string `json:"traceparent"`
		} `json:"_meta"`
	} `json:"params"`
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

// remoteTraces are the traces that messages bring in with a traceparent.
func (tr transcript) remoteTraces(t *testing.T) (ids []pcommon.TraceID) {
	t.Helper()
	for _, o := range tr.observations(t) {
		if o.Message == nil || o.Message.Params.Meta.Traceparent == "" {
			continue
		}
		context := propagation.MapCarrier{"traceparent": o.Message.Params.Meta.Traceparent}
		remote := trace.SpanContextFromContext(propagation.TraceContext{}.Extract(t.Context(), context))
		require.True(t, remote.IsValid())
		ids = append(ids, pcommon.TraceID(remote.TraceID()))
	}
	return ids
}
