package otlptest

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
)

// Check fails the test if a report is one that no decoder may make: JSON that is
// none, numbers below 0, or an end before its start.
func Check(t *testing.T, r *otlp.Report) {
	t.Helper()
	if r == nil {
		return
	}
	require.NotEmpty(t, r.Agent)
	require.GreaterOrEqual(t, r.Time, int64(0))
	if r.Session == "" && r.Trace.IsZero() {
		require.Empty(t, r.Events)
	}
	for _, e := range r.Events {
		check(t, reflect.ValueOf(e).Elem())
	}
}

func check(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.String:
		if text, ok := reflect.TypeAssert[event.JSON](v); ok && text != "" {
			require.True(t, json.Valid([]byte(text)), "%q", text)
		}
	case reflect.Int64:
		require.GreaterOrEqual(t, v.Int(), int64(0))
	case reflect.Float64:
		require.False(t, math.IsNaN(v.Float()) || v.Float() < 0, v.Float())
	case reflect.Pointer:
		if !v.IsNil() {
			check(t, v.Elem())
		}
	case reflect.Struct:
		for _, f := range v.Fields() {
			check(t, f)
		}
		start, end := v.FieldByName("Start"), v.FieldByName("End")
		if start.IsValid() && end.IsValid() && end.Int() != 0 {
			require.LessOrEqual(t, start.Int(), end.Int())
		}
	}
}

// Fuzz feeds a decoder OTLP of any content, as protobuf and as JSON.
func Fuzz(f *testing.F, d otlp.Decoder) {
	f.Fuzz(func(t *testing.T, body []byte) {
		show := func(_ string, r *otlp.Report) { Check(t, r) }
		for _, unmarshal := range []func([]byte) (plog.Logs, error){
			(&plog.ProtoUnmarshaler{}).UnmarshalLogs, (&plog.JSONUnmarshaler{}).UnmarshalLogs,
		} {
			if logs, err := unmarshal(body); err == nil {
				Logs(d, logs, show)
			}
		}
		for _, unmarshal := range []func([]byte) (ptrace.Traces, error){
			(&ptrace.ProtoUnmarshaler{}).UnmarshalTraces, (&ptrace.JSONUnmarshaler{}).UnmarshalTraces,
		} {
			if traces, err := unmarshal(body); err == nil {
				Traces(d, traces, show)
			}
		}
	})
}

// Seed adds the files of a decoder to a fuzz test, as JSON and as protobuf.
func Seed(f *testing.F) {
	for _, body := range read(f, "testdata/*.logs.json") {
		f.Add(body)
		logs, err := (&plog.JSONUnmarshaler{}).UnmarshalLogs(body)
		require.NoError(f, err)
		binary, err := (&plog.ProtoMarshaler{}).MarshalLogs(logs)
		require.NoError(f, err)
		f.Add(binary)
	}
	for _, body := range read(f, "testdata/*.traces.json") {
		f.Add(body)
		traces, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(body)
		require.NoError(f, err)
		binary, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(traces)
		require.NoError(f, err)
		f.Add(binary)
	}
}
