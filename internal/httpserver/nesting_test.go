package httpserver

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

// nested is an export of one log record whose body has values within values.
func nested(tb testing.TB, levels int, within func(pcommon.Value) pcommon.Value) []byte {
	tb.Helper()
	logs := plog.NewLogs()
	body := logs.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty().Body()
	for range levels {
		body = within(body)
	}
	body.SetStr("x")
	text, err := plogotlp.NewExportRequestFromLogs(logs).MarshalProto()
	require.NoError(tb, err)
	return text
}

func inSlice(v pcommon.Value) pcommon.Value { return v.SetEmptySlice().AppendEmpty() }

func inMap(v pcommon.Value) pcommon.Value { return v.SetEmptyMap().PutEmpty("k") }

// inPieces returns what nesting says if p comes in that many bytes at once.
func inPieces(p []byte, bytes int) error {
	var n nesting
	for some := range slices.Chunk(p, bytes) {
		if err := n.add(some); err != nil {
			return err
		}
	}
	return nil
}

func TestNesting(t *testing.T) {
	for name, tt := range map[string]struct {
		text []byte
		want error
	}{
		"lists":                       {nested(t, 400, inSlice), nil},
		"maps":                        {nested(t, 300, inMap), nil},
		"lists, too deep":             {nested(t, 500, inSlice), errDeep},
		"maps, too deep":              {nested(t, 340, inMap), errDeep},
		"lists, much too deep":        {nested(t, 5000, inSlice), errDeep},
		"after a group":               {append([]byte{0x7b, 0x08, 0x01, 0x7c}, nested(t, 500, inSlice)...), errDeep},
		"after all wire types":        {append([]byte{0x78, 0xff, 0x01, 0x79, 1, 2, 3, 4, 5, 6, 7, 8, 0x7d, 1, 2, 3, 4, 0x7a, 1, 'x'}, nested(t, 500, inSlice)...), errDeep},
		"after a broken text":         {append([]byte{0x7a, 3, 0x0a, 0x7f, 'x'}, nested(t, 500, inSlice)...), errDeep},
		"after a broken field":        {append([]byte{0x7a, 1, 0x79, 0x7a, 2, 0x78, 0xff, 0x7a, 1, 0x7f}, nested(t, 500, inSlice)...), errDeep},
		"after what no decoder takes": {append([]byte{0x7f}, nested(t, 500, inSlice)...), nil},
		"an endless number":           {append([]byte(strings.Repeat("\xff", 20)), nested(t, 500, inSlice)...), nil},
		"a length beyond the end":     {[]byte("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01x"), nil},
		"empty messages":              {[]byte(strings.Repeat("\x0a\x00", 5000)), nil},
		"nothing":                     {nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			for _, bytes := range []int{1, 2, 3, 100, 1 << 20} {
				assert.ErrorIs(t, inPieces(tt.text, bytes), tt.want, "%d bytes at once", bytes)
			}
		})
	}
}

func TestBrackets(t *testing.T) {
	deep := strings.Repeat("[", 600) + strings.Repeat(`{"a":`, 600)
	for text, want := range map[string]error{
		deep:                         errDeep,
		`"\\"` + deep:                errDeep,
		`"\""` + deep:                errDeep,
		`"` + deep:                   nil,
		`"\"` + deep:                 nil,
		strings.Repeat("[]{}", 5000): nil,
		strings.Repeat("[{", 500):    nil,
		"":                           nil,
	} {
		for _, bytes := range []int{1, 2, 1 << 20} {
			var n brackets
			var err error
			for some := range slices.Chunk([]byte(text), bytes) {
				if err = n.add(some); err != nil {
					break
				}
			}
			assert.ErrorIs(t, err, want, "%.20q", text)
		}
	}
}

// Real telemetry passes, with payloads of all kinds in it.
func TestRealTelemetryIsNotDeep(t *testing.T) {
	files, err := filepath.Glob("../agent/*/testdata/*.traces.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		request := ptraceotlp.NewExportRequest()
		if request.UnmarshalJSON(text) != nil {
			continue // one that is malformed
		}
		text, err = request.MarshalProto()
		require.NoError(t, err)
		assert.NoError(t, inPieces(text, 1<<20), file)
	}
	texts := rand.NewChaCha8([32]byte{})
	for range 200 {
		logs := plog.NewLogs()
		body := logs.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty().Body().SetEmptyBytes()
		random := make([]byte, 50_000)
		_, _ = texts.Read(random)
		body.FromRaw(random)
		text, err := plogotlp.NewExportRequestFromLogs(logs).MarshalProto()
		require.NoError(t, err)
		assert.NoError(t, inPieces(text, 1<<20))
	}
}

// depth returns how deeply the values of a body are nested.
func depth(v pcommon.Value) (deepest int) {
	switch v.Type() {
	case pcommon.ValueTypeSlice:
		for _, each := range v.Slice().All() {
			deepest = max(deepest, 1+depth(each))
		}
	case pcommon.ValueTypeMap:
		for _, each := range v.Map().All() {
			deepest = max(deepest, 1+depth(each))
		}
	default:
	}
	return deepest
}

// FuzzNesting wants the same whatever the pieces are, and that all which decoders
// accept and is too deep is found.
func FuzzNesting(f *testing.F) {
	f.Add([]byte("\x0a\x02\x12\x00"), uint16(1), uint16(3))
	f.Add([]byte("\x7b\x08\x01\x7c"), uint16(600), uint16(2))
	f.Add([]byte("\x7a\x03\x0a\x7f"), uint16(600), uint16(7))
	f.Fuzz(func(t *testing.T, before []byte, levels, bytes uint16) {
		text := slices.Concat(before, nested(t, int(levels%700), inSlice), before)
		whole := inPieces(text, len(text))
		require.Equal(t, whole, inPieces(text, 1+int(bytes)))
		request := plogotlp.NewExportRequest()
		if request.UnmarshalProto(text) != nil {
			return
		}
		for _, rl := range request.Logs().ResourceLogs().All() {
			for _, sl := range rl.ScopeLogs().All() {
				for _, record := range sl.LogRecords().All() {
					if depth(record.Body()) > deepest/2 {
						require.ErrorIs(t, whole, errDeep)
					}
				}
			}
		}
	})
}

func BenchmarkNesting(b *testing.B) {
	logs := plog.NewLogs()
	records := logs.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords()
	for i := range 100 {
		record := records.AppendEmpty()
		record.Body().SetStr(strings.Repeat("a text ", 100))
		record.Attributes().PutInt("i", int64(i))
		record.SetTraceID(pcommon.TraceID(binary.LittleEndian.AppendUint64(make([]byte, 8), uint64(i))))
	}
	text, err := plogotlp.NewExportRequestFromLogs(logs).MarshalProto()
	require.NoError(b, err)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		require.NoError(b, inPieces(text, len(text)))
	}
}
