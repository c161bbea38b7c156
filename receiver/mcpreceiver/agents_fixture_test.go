package mcpreceiver

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap/confmaptest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp"
)

// otlpFixtures holds one folder a case: input.yaml, expected.txt and, where it is not the
// default, config.yaml. What is expected is written as rendering describes it.
const otlpFixtures = "../../testdata/otlp"

// step is one thing that happens in a case. The clock is virtual, and begins with the
// first record or span.
type otlpStep struct {
	From   string           `yaml:"from"`   // what the files are: recorded, or documented where the program was not run
	Replay []string         `yaml:"replay"` // files of OTLP as JSON
	Logs   string           `yaml:"logs"`   // how often the agent exports log records; default 5s
	Traces string           `yaml:"traces"` // likewise spans
	Sleep  string           `yaml:"sleep"`  // a duration
	Counts map[string]int64 `yaml:"counts"` // of our own metrics: "name{attribute=value}"
}

func TestOTLPFixtures(t *testing.T) {
	cases, err := filepath.Glob(filepath.Join(otlpFixtures, "*", "input.yaml"))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(cases), 1)
	for _, input := range cases {
		dir := filepath.Dir(input)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { runOTLPFixture(t, dir) })
		})
	}
}

func runOTLPFixture(t *testing.T, dir string) {
	var steps []otlpStep
	text, err := os.ReadFile(filepath.Join(dir, "input.yaml"))
	require.NoError(t, err)
	decoder := yaml.NewDecoder(strings.NewReader(string(text)))
	decoder.KnownFields(true)
	require.NoError(t, decoder.Decode(&steps))
	f := newOTLPFixture(t, dir, newDecoder)
	for i, s := range steps {
		f.run(t, i, s)
	}
	f.setup.stop(t)
	f.match(t, renderTree(t, f))
}

// fixture is a consumer of OTLP with sessions of its own.
type otlpFixture struct {
	dir     string
	setup   *setup
	tel     *componenttest.Telemetry
	started bool
	natives map[string]map[string]any // attributes of agents' own spans as they came, by their id
}

func newOTLPFixture(t *testing.T, dir string, decoder func() otlp.Decoder) *otlpFixture {
	f := &otlpFixture{dir: dir, tel: componenttest.NewTelemetry(), natives: map[string]map[string]any{}}
	set := settings()
	set.TelemetrySettings = f.tel.NewTelemetrySettings()
	set.BuildInfo.Version = "1.0.0"
	f.setup = newSetupOf(t, set, func(cfg *Config) {
		if conf, err := confmaptest.LoadConf(filepath.Join(dir, "config.yaml")); err == nil {
			require.NoError(t, conf.Unmarshal(cfg))
		} else {
			require.ErrorIs(t, err, os.ErrNotExist)
		}
	}, decoder)
	return f
}

func (f *otlpFixture) run(t *testing.T, i int, s otlpStep) {
	if len(s.Replay) > 0 {
		f.replay(t, i, s)
	}
	if s.Sleep != "" {
		f.sleep(length(t, s.Sleep))
	}
	for name, want := range s.Counts {
		assert.Equal(t, want, f.counter(name), "step %d: %s", i, name)
	}
}

func length(t *testing.T, text string) time.Duration {
	if text == "" {
		return 5 * time.Second
	}
	d, err := time.ParseDuration(text)
	require.NoError(t, err)
	return d
}

func (*otlpFixture) sleep(d time.Duration) {
	time.Sleep(d) // virtual
	synctest.Wait()
}

// replay hands over what the files hold as the exporters of an agent do: what happened
// in one interval is one request.
func (f *otlpFixture) replay(t *testing.T, i int, s otlpStep) {
	require.Contains(t, []string{"recorded", "documented"}, s.From, "step %d: from", i)
	all := f.requests(t, s)
	if !f.started { // nothing counts time yet: years pass at once
		time.Sleep(time.Until(time.Unix(0, all[0].from)))
		f.setup.start(t)
		f.started = true
	}
	for _, r := range all {
		f.sleep(max(time.Until(time.Unix(0, r.at)), 0))
		switch data := r.data.(type) {
		case plog.Logs:
			require.NoError(t, f.setup.logs.ConsumeLogs(t.Context(), data))
		case ptrace.Traces:
			require.NoError(t, f.setup.traces.ConsumeTraces(t.Context(), data))
		}
	}
}

// match holds what came out against the file.
func (f *otlpFixture) match(t *testing.T, got string) {
	path := filepath.Join(f.dir, "expected.txt")
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

// counter is the value of one of our own metrics, written name{key=value,…} without the
// prefix that all have; 0 if it was never counted.
func (f *otlpFixture) counter(name string) int64 {
	metric, labels, _ := strings.Cut(strings.TrimSuffix(name, "}"), "{")
	m, err := f.tel.GetMetric("otelcol_mcp_receiver_" + metric)
	if err != nil {
		return 0
	}
	for _, p := range m.Data.(metricdata.Sum[int64]).DataPoints {
		var all []string
		for _, kv := range p.Attributes.ToSlice() {
			all = append(all, string(kv.Key)+"="+kv.Value.AsString())
		}
		if strings.Join(all, ",") == labels {
			return p.Value
		}
	}
	return 0
}
