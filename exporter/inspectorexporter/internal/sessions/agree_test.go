package sessions

import (
	"crypto/sha256"
	"encoding/hex"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/facts"
)

const testdata = "../../../../testdata"

// spanText is a span in what is expected of the receiver.
type spanText struct {
	Name, Service, Trace, Span, Parent, Kind string
	Start, End                               string
	Error                                    *string
	Attributes                               map[string]any
}

// reported is a span and who reports it.
type reported struct {
	resource pcommon.Resource
	ptrace.Span
}

func (s *spanText) span(t *testing.T) reported {
	span := ptrace.NewSpan()
	span.SetName(s.Name)
	span.SetTraceID(pcommon.TraceID(bytesOf(s.Trace)[:16]))
	span.SetSpanID(pcommon.SpanID(bytesOf(s.Span)[:8]))
	if s.Parent != "" {
		span.SetParentSpanID(pcommon.SpanID(bytesOf(s.Parent)[:8]))
	}
	span.SetKind(map[string]ptrace.SpanKind{"Client": client, "Server": server, "": inner}[s.Kind])
	span.SetStartTimestamp(timeOf(t, s.Start))
	span.SetEndTimestamp(span.StartTimestamp())
	if s.End != "" {
		span.SetEndTimestamp(timeOf(t, s.End))
	}
	if s.Error != nil {
		span.Status().SetCode(ptrace.StatusCodeError)
	}
	require.NoError(t, span.Attributes().FromRaw(s.Attributes))
	from := pcommon.NewResource()
	from.Attributes().PutStr("service.name", s.Service)
	return reported{from, span}
}

// bytesOf are those of an id, made up for "random span 1" and the like.
func bytesOf(id string) []byte {
	if b, err := hex.DecodeString(id); err == nil {
		return b
	}
	sum := sha256.Sum256([]byte(id))
	return sum[:]
}

func timeOf(t *testing.T, text string) pcommon.Timestamp {
	at, err := time.Parse(time.RFC3339Nano, text)
	require.NoError(t, err)
	return pcommon.NewTimestampFromTime(at)
}

// TestErrorsAgreeWithTheReceiver: what a row counts of spans alone is what the receiver
// counts of messages and events.
func TestErrorsAgreeWithTheReceiver(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(testdata, "receiver", "*", "expected.yaml"))
	require.NoError(t, err)
	compared := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var all []spanText
		require.NoError(t, yaml.Unmarshal(text, &all))
		var spans []reported
		for i := range all {
			spans = append(spans, all[i].span(t))
		}
		compared += agree(t, filepath.Base(filepath.Dir(file)), spans)
	}
	assert.Greater(t, compared, 100)
}

// agree compares the errors of rows with those of summaries, which the rows are not told. It
// returns how many rows it compared.
func agree(t *testing.T, name string, spans []reported) (rows int) {
	want := map[string]int64{}
	spans = slices.DeleteFunc(spans, func(s reported) bool {
		n, ok := facts.Int(s.Attributes(), "mcp.summary.errors")
		if ok {
			want[facts.OwnID(s.resource.Attributes(), s.Attributes())] += n
		}
		return ok
	})
	random := rand.New(rand.NewPCG(1, 2))
	for order := range 4 {
		switch order {
		case 0:
		case 1:
			slices.Reverse(spans)
		default:
			random.Shuffle(len(spans), func(i, j int) { spans[i], spans[j] = spans[j], spans[i] })
		}
		b, _ := board(100)
		for _, s := range spans {
			b.Foresee(s.resource, s.Span)
		}
		for _, s := range spans {
			b.Span(s.resource, s.Span, "")
		}
		for session, errors := range want {
			id, _ := facts.ID(session)
			if b.byID[id] == nil {
				continue // part of another one, or of a file of which nothing else is expected
			}
			rows++
			assert.Equal(t, errors, row(t, b, id).Errors, "%s: session %s, order %d", name, session, order)
		}
	}
	return rows
}
