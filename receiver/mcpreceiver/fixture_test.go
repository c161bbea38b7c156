package mcpreceiver

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/confmaptest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver/receivertest"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.yaml.in/yaml/v3"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/otelcol-mcp/otelcol-mcp/internal/httpserver"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/push"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/metadata"
)

var update = flag.Bool("update", false, "write what came out as what is expected")

// fixtures holds one folder a case: input.yaml, the expected spans in
// expected.yaml and, where it is not the default, config.yaml. Where there is a
// logs.yaml or a metrics.yaml, that signal is accepted too, and held against it.
// The three spans of every session (start, summary, root) are expected only by a
// case that is about them, and says so with "spans: all"; see requireSessions.
const fixtures = "../../testdata/receiver"

// step is one thing that happens in a case. The clock is virtual and starts at
// 2000-01-01T00:00:00Z.
type step struct {
	Spans   string            `yaml:"spans"`   // all: also those that every session has; in the first step
	Post    string            `yaml:"post"`    // path and query
	Type    string            `yaml:"type"`    // default application/x-ndjson
	Headers map[string]string `yaml:"headers"` //
	Body    string            `yaml:"body"`    //
	File    string            `yaml:"file"`    // instead of body
	Append  string            `yaml:"append"`  // a trace file to which the body is appended
	Status  int               `yaml:"status"`  // default 202
	Reply   string            `yaml:"reply"`   // JSON, or the text of an error
	Sleep   string            `yaml:"sleep"`   // a duration
	Refuse  string            `yaml:"refuse"`  // retryable, exhausted, permanent, logs: the next delivery, or that of logs
	Counts  map[string]int64  `yaml:"counts"`  // of our own metrics: "name{attribute=value}"
}

func TestFixtures(t *testing.T) {
	cases, err := filepath.Glob(filepath.Join(fixtures, "*", "input.yaml"))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(cases), 1)
	for _, input := range cases {
		dir := filepath.Dir(input)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { runFixture(t, dir, false) })
		})
	}
}

// Each case again, with a restart of the receiver after each step: with a
// storage, that changes nothing but metrics, which begin again.
func TestFixturesWithRestarts(t *testing.T) {
	if *update {
		t.Skip("what is expected is written without restarts")
	}
	cases, err := filepath.Glob(filepath.Join(fixtures, "*", "input.yaml"))
	require.NoError(t, err)
	for _, input := range cases {
		dir := filepath.Dir(input)
		if filepath.Base(dir) == "service-name-limits" {
			continue // sessions that were last heard at the same time end in another order
		}
		t.Run(filepath.Base(dir), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { runFixture(t, dir, true) })
		})
	}
}

func runFixture(t *testing.T, dir string, restarts bool) {
	var steps []step
	text, err := os.ReadFile(filepath.Join(dir, "input.yaml"))
	require.NoError(t, err)
	decoder := yaml.NewDecoder(strings.NewReader(string(text)))
	decoder.KnownFields(true)
	require.NoError(t, decoder.Decode(&steps))
	shelf := ""
	if slices.ContainsFunc(steps, func(s step) bool { return s.Append != "" }) {
		shelf = t.TempDir()
	}
	f := newFixture(t, dir, shelf, restarts)
	f.all = steps[0].all(t)
	for i, s := range steps {
		require.True(t, i == 0 || s.Spans == "", "step %d: spans belongs in the first step", i)
		f.run(t, i, s)
		if restarts {
			f.restart(t)
		}
	}
	f.receiver.sessions.Checkpoint = nil // now it ends
	require.NoError(t, f.receiver.Shutdown(t.Context()))
	f.compare(t)
}

// all reports whether the case is about all spans, its sessions' own too.
func (s step) all(t *testing.T) bool {
	require.Contains(t, []string{"", "all"}, s.Spans)
	return s.Spans != ""
}

// fixture is a receiver without a server of its own: the handler is called.
type fixture struct {
	dir      string
	shelf    string // of trace files, "" if there are none
	all      bool
	cfg      *Config
	host     component.Host
	receiver *mcpReceiver
	handler  http.Handler
	sink     *refusingSink
	tel      *componenttest.Telemetry
}

func newFixture(t *testing.T, dir, shelf string, restarts bool) *fixture {
	cfg := createDefaultConfig().(*Config)
	if conf, err := confmaptest.LoadConf(filepath.Join(dir, "config.yaml")); err == nil {
		require.NoError(t, conf.Unmarshal(cfg))
	} else {
		require.ErrorIs(t, err, os.ErrNotExist)
	}
	require.NoError(t, confmap.Validate(cfg))
	require.NoError(t, confmap.NewFromStringMap(map[string]any{"http": map[string]any{"enabled": false}}).Unmarshal(cfg))
	if shelf != "" {
		cfg.TraceFiles.Include = []string{filepath.Join(shelf, "*.jsonl")}
	}
	f := &fixture{
		dir: dir, shelf: shelf, cfg: cfg, sink: &refusingSink{traces: ptrace.NewTraces(), logs: plog.NewLogs(), rows: rows{}}, tel: componenttest.NewTelemetry(),
		host: keepingHost{componenttest.NewNopHost(), &memory{kept: map[string][]byte{}}},
	}
	if restarts {
		id := component.MustNewID("file_storage")
		cfg.Storage = &id
	}
	f.start(t)
	return f
}

func (f *fixture) start(t *testing.T) {
	set := receivertest.NewNopSettings(metadata.Type)
	set.TelemetrySettings = f.tel.NewTelemetrySettings()
	set.BuildInfo.Version = "1.0.0"
	r, err := newReceiver(set, f.cfg, newDecoder)
	require.NoError(t, err)
	r.setTraces(f.sink)
	if f.takes("logs") {
		r.setLogs(f.sink)
	} else {
		r.setLogs(rowSink{f.sink})
	}
	if f.takes("metrics") {
		r.setMetrics(f.sink)
	}
	if f.receiver != nil { // it is a restart
		r.runner.Build.Names = f.receiver.runner.Build.Names
	}
	require.NoError(t, r.Start(t.Context(), f.host))
	mux := http.NewServeMux()
	push.Register(mux, r.runner)
	f.receiver, f.handler = r, httpserver.Guard{Loopback: true}.Wrap(mux)
}

// restart stops the receiver and starts another, with the same storage and, to
// count on, the same names of services.
func (f *fixture) restart(t *testing.T) {
	require.NoError(t, f.receiver.Shutdown(t.Context()))
	f.start(t)
}

func (f *fixture) run(t *testing.T, i int, s step) {
	switch {
	case s.Sleep != "":
		d, err := time.ParseDuration(s.Sleep)
		require.NoError(t, err)
		time.Sleep(d) // virtual
		synctest.Wait()
	case s.Refuse != "":
		refusal := refusals[s.Refuse]
		require.Error(t, refusal, "step %d: unknown refusal", i)
		f.sink.refuseNext(refusal, s.Refuse == "logs")
	case s.Append != "":
		f.append(t, s.Append, s.Body)
	case s.Post != "":
		f.post(t, i, s)
	}
	for name, want := range s.Counts {
		assert.Equal(t, want, f.counter(t, name), "step %d: %s", i, name)
	}
}

func (f *fixture) append(t *testing.T, name, text string) {
	handle, err := os.OpenFile(filepath.Join(f.shelf, name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	_, err = handle.WriteString(text)
	require.NoError(t, errors.Join(err, handle.Close()))
}

func (f *fixture) post(t *testing.T, i int, s step) {
	body := []byte(s.Body)
	if s.File != "" {
		var err error
		body, err = os.ReadFile(filepath.Join(f.dir, s.File))
		require.NoError(t, err)
	}
	r := httptest.NewRequest(http.MethodPost, "http://localhost:4319"+s.Post, strings.NewReader(string(body)))
	r.Header.Set("Content-Type", cmp.Or(s.Type, "application/x-ndjson"))
	for key, value := range s.Headers {
		r.Header.Set(key, value)
	}
	w := httptest.NewRecorder()
	f.handler.ServeHTTP(w, r)
	if s.Status == 0 {
		s.Status = http.StatusAccepted
	}
	assert.Equal(t, s.Status, w.Code, "step %d: %s", i, w.Body)
	if json.Valid([]byte(s.Reply)) {
		assert.JSONEq(t, s.Reply, w.Body.String(), "step %d", i)
	} else {
		assert.Equal(t, s.Reply, strings.TrimSpace(w.Body.String()), "step %d", i)
	}
}

// compare holds what came out against what is expected, to the letter.
func (f *fixture) compare(t *testing.T) {
	if !f.receiver.cfg.Capture.Payloads {
		requireNoPayload(t, f.sink.traces)
		requireNoPayloadInLogs(t, f.sink.logs)
	}
	requireSessions(t, f.own(), f.sink.resent, f.all)
	requireRows(t, f.sink.rows, f.own())
	f.match(t, "expected", render(t, f.sink.traces, f.all))
	if f.takes("logs") {
		f.match(t, "logs", renderLogs(t, f.sink.logs))
	}
	if f.takes("metrics") {
		f.match(t, "metrics", renderMetrics(t, f.sink.metrics))
	}
}

// own are the spans that we made: those of trace files are as their maker wants them.
func (f *fixture) own() ptrace.Traces {
	if f.shelf == "" {
		return f.sink.traces
	}
	own := ptrace.NewTraces()
	f.sink.traces.CopyTo(own)
	for _, rs := range own.ResourceSpans().All() {
		rs.ScopeSpans().RemoveIf(func(ss ptrace.ScopeSpans) bool { return ss.Scope().Name() != mcpconv.ReceiverScope })
	}
	return own
}

// takes reports whether the case is about the signal too.
func (f *fixture) takes(signal string) bool {
	if signal == "metrics" && f.cfg.Storage != nil {
		return false
	}
	_, err := os.Stat(filepath.Join(f.dir, signal+".yaml"))
	return err == nil
}

// match holds what came out against a file.
func (f *fixture) match(t *testing.T, what string, got []byte) {
	path := filepath.Join(f.dir, what+".yaml")
	if *update {
		require.NoError(t, os.WriteFile(path, got, 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
}

// requireNoPayload holds the spans against the one list of what is payload.
func requireNoPayload(t *testing.T, td ptrace.Traces) {
	for _, rs := range td.ResourceSpans().All() {
		for _, span := range rs.ScopeSpans().At(0).Spans().All() {
			require.Empty(t, span.Status().Message())
			keys := maps.Keys(span.Attributes().AsRaw())
			for _, e := range span.Events().All() {
				keys = slices.Values(slices.AppendSeq(slices.Collect(keys), maps.Keys(e.Attributes().AsRaw())))
			}
			for key := range keys {
				require.False(t, mcpconv.IsPayload(key), "%s of %s", key, span.Name())
			}
		}
	}
}

// requireNoPayloadInLogs does the same for records, whose body is the event's name.
func requireNoPayloadInLogs(t *testing.T, ld plog.Logs) {
	for _, rl := range ld.ResourceLogs().All() {
		for _, record := range rl.ScopeLogs().At(0).LogRecords().All() {
			require.Equal(t, record.EventName(), record.Body().AsString())
			for key := range record.Attributes().All() {
				require.False(t, mcpconv.IsPayload(key), "%s of %s", key, record.EventName())
			}
		}
	}
}

var refusals = map[string]error{
	"retryable": errors.New("not now"),
	"exhausted": status.Error(codes.ResourceExhausted, "too much"),
	"permanent": consumererror.NewPermanent(errors.New("never")),
	"logs":      errors.New("no logs now"),
}

// refusingSink merges all it accepts; it refuses once, on demand.
type refusingSink struct {
	mu       sync.Mutex // the sweeper delivers too
	traces   ptrace.Traces
	logs     plog.Logs
	rows     rows // of all sessions
	metrics  []pmetric.Metrics
	refuse   error
	onlyLogs bool
	resent   bool // it took spans that it takes again, since it refused the logs
}

func (s *refusingSink) refuseNext(err error, onlyLogs bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuse, s.onlyLogs, s.resent = err, onlyLogs, s.resent || onlyLogs
}

func (*refusingSink) Capabilities() consumer.Capabilities {
	return consumer.Capabilities{MutatesData: true}
}

func (s *refusingSink) ConsumeTraces(_ context.Context, td ptrace.Traces) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refuse; err != nil && !s.onlyLogs {
		s.refuse = nil
		return err
	}
	td.ResourceSpans().MoveAndAppendTo(s.traces.ResourceSpans())
	return nil
}

func (s *refusingSink) ConsumeLogs(_ context.Context, ld plog.Logs) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rows == nil {
		s.rows = rows{}
	}
	if !s.rows.take(ld) {
		return nil
	}
	if err := s.refuse; err != nil {
		s.refuse = nil
		return err
	}
	ld.ResourceLogs().MoveAndAppendTo(s.logs.ResourceLogs())
	return nil
}

func (s *refusingSink) ConsumeMetrics(_ context.Context, md pmetric.Metrics) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refuse; err != nil {
		s.refuse = nil
		return err
	}
	s.metrics = append(s.metrics, md)
	return nil
}

// counter is the value of one of our own metrics, written name{key=value,…}
// without the prefix that all have; 0 if it was never counted.
func (f *fixture) counter(t *testing.T, name string) int64 {
	metric, labels, _ := strings.Cut(strings.TrimSuffix(name, "}"), "{")
	m, err := f.tel.GetMetric("otelcol_mcp_receiver_" + metric)
	if err != nil {
		return 0
	}
	for _, p := range points(t, m.Data) {
		if attributesOf(p.Attributes) == labels {
			return p.Value
		}
	}
	return 0
}

func points(t *testing.T, data metricdata.Aggregation) []metricdata.DataPoint[int64] {
	switch data := data.(type) {
	case metricdata.Sum[int64]:
		return data.DataPoints
	case metricdata.Gauge[int64]:
		return data.DataPoints
	}
	require.Fail(t, "unexpected metric")
	return nil
}

// attributesOf leaves out which receiver it is: a fixture has one.
func attributesOf(set attribute.Set) string {
	var parts []string
	for _, kv := range set.ToSlice() {
		if kv.Key != "receiver" {
			parts = append(parts, string(kv.Key)+"="+kv.Value.String())
		}
	}
	return strings.Join(parts, ",")
}
