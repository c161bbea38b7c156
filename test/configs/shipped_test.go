package configs

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/otelcol-mcp/otelcol-mcp/config"
	"github.com/otelcol-mcp/otelcol-mcp/internal/inspectorwire"
	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// TestValidate takes every configuration by its name, and one as a file: what is embedded is the same text.
func TestValidate(t *testing.T) {
	uris := []string{"file:" + filepath.Join(harness.Root, "config", "default.yaml")}
	for _, name := range config.Names() {
		uris = append(uris, "embedded:"+name)
	}
	for _, uri := range uris {
		t.Run(uri, func(t *testing.T) {
			home := t.TempDir()
			out, err := command(t, []string{"HOME=" + home}, "validate", "--config", uri)
			require.NoError(t, err, out)
			entries, err := os.ReadDir(home)
			require.NoError(t, err)
			assert.Empty(t, entries, "validate must leave no trace")
		})
	}
}

// TestValidateScale takes the configurations for many machines, which are not in the binary.
func TestValidateScale(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(harness.Root, "config", "scale", "*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		out, err := command(t, []string{"HOME=" + t.TempDir()}, "validate", "--config", file)
		assert.NoError(t, err, "%s: %s", file, out)
	}
}

// TestValidateCompose takes what runs in the container.
func TestValidateCompose(t *testing.T) {
	file := filepath.Join(harness.Root, "deploy", "compose", "collector.yaml")
	env := []string{"HOME=" + t.TempDir(), "TEMPO_ENDPOINT=tempo:4317", "LOKI_ENDPOINT=http://loki:3100/otlp"}
	out, err := command(t, env, "validate", "--config", "embedded:tempo", "--config", file)
	require.NoError(t, err, out)
}

func TestRefused(t *testing.T) {
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"no configuration": {nil, "  otelcol-mcp --config embedded:default\n"},
		"unknown name":     {[]string{"--config", "embedded:nosuch"}, strings.Join(config.Names(), ", ")},
		"unknown key":      {[]string{"--config", "embedded:default", "--config", "yaml:" + freePorts(t).override(), "--config", "yaml:receivers::mcp::nosuch: 1"}, "nosuch"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := command(t, nil, test.args...)
			require.Error(t, err)
			assert.Contains(t, out, test.want)
			assert.NotContains(t, out, "debug", "no lines of the log before the error")
		})
	}
}

// TestHelp: the help of the collector begins with examples, fits a terminal, and has every command and flag.
func TestHelp(t *testing.T) {
	out, err := command(t, nil, "--help")
	require.NoError(t, err, out)
	for line := range strings.Lines(out) {
		assert.LessOrEqual(t, len(line), 120, line)
	}
	assert.Less(t, strings.Index(out, "Examples:"), strings.Index(out, "Usage:"))
	// The completion of an empty word lists commands, that of a dash lists flags.
	for _, word := range []string{"", "-"} {
		known, err := command(t, nil, "__complete", word)
		require.NoError(t, err, known)
		listed := 0
		for line := range strings.Lines(known) {
			name, _, found := strings.Cut(line, "\t")
			if found {
				assert.Contains(t, out, name)
				listed++
			}
		}
		assert.Greater(t, listed, 3, known)
	}
}

// TestFirstLines: what the default logs first is where the page is and where to send, and nothing else.
func TestFirstLines(t *testing.T) {
	p := freePorts(t)
	c := harness.Start(t, "otelcol-mcp", harness.Collector(t), []string{"XDG_STATE_HOME=" + t.TempDir()},
		[]string{"--config", "embedded:default", "--config", "yaml:" + p.override()})
	c.Ready(t, func() bool { return harness.HTTPOK("http://" + p.health + "/status") })
	var said []string
	for line := range strings.Lines(c.Output()) {
		fields := strings.Split(line, "\t") // time, level, text, the component
		said = append(said, fields[2])
		assert.NotContains(t, fields[3], "service.", "no line repeats what the process is")
	}
	assert.Equal(t, []string{
		"The web UI is at http://" + p.page + "/_inspector/ui",
		"Send hooks, JSON-RPC and MCP (/mcp) to http://" + p.mcp + ", or connect coding agents with: mcptap connect --all",
		"Send OTLP to http://" + p.http + ", gRPC " + p.grpc,
	}, said)
}

// neighbours are the ports of Jaeger (1 and 2) and Tempo, which must be able to run beside us.
var neighbours = []string{
	"4317", "4318", "5775", "5778", "5779", "6831", "6832", "8888", "8889", "9411", "13133", "14250", "14268", "14269",
	"16685", "16686", "16687", "27777", "27778", "3200", "9095",
}

func TestPorts(t *testing.T) {
	for _, name := range config.Names() {
		t.Run(name, func(t *testing.T) {
			for _, endpoint := range listening(t, name) {
				port, found := strings.CutPrefix(endpoint, "${env:LISTEN_HOST:-localhost}:")
				assert.True(t, found, endpoint)
				assert.NotContains(t, neighbours, port, endpoint)
			}
		})
	}
}

// listening finds all that a configuration says about receivers and extensions, our page, and what Prometheus
// reads; the other exporters' endpoints are those of others.
func listening(t *testing.T, name string) []string {
	text, err := config.Read(name)
	require.NoError(t, err)
	retrieved, err := confmap.NewRetrievedFromYAML(text)
	require.NoError(t, err)
	conf, err := retrieved.AsConf()
	require.NoError(t, err)
	var endpoints []string
	for _, key := range conf.AllKeys() {
		if strings.HasSuffix(key, "::endpoint") && (!strings.HasPrefix(key, "exporters::") || strings.Contains(key, "mcp_inspector") || strings.Contains(key, "prometheus")) {
			endpoints = append(endpoints, conf.Get(key).(string))
		}
	}
	require.NotEmpty(t, endpoints)
	return endpoints
}

// TestDefault runs the default in an empty home: it makes its own directory, for its owner only, and
// what it writes there is cut to 30 KiB.
func TestDefault(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	p := start(t, []string{"XDG_STATE_HOME=" + state}, "--config", "embedded:default")

	traces, span := oneSpan()
	span.Attributes().PutStr("mcp.tool.output_json", `"`+strings.Repeat("x", 40000)+`"`)
	sendTraces(t, p, ptraceotlp.NewExportRequestFromTraces(traces))

	line := readLine(t, filepath.Join(state, "otelcol-mcp", "sessions", span.TraceID().String()+".jsonl.gz"))
	got := inspectorwire.NewSpans("")
	_, err := got.Add([]byte(line))
	require.NoError(t, err)
	attributes := spansOf(got.Traces())[0].Attributes().AsRaw()
	assert.Len(t, attributes["mcp.tool.output_json"], 30720)
	assert.Equal(t, true, attributes["mcp.tool.output_json_truncated"])

	for _, dir := range []string{"sessions", "storage"} {
		info, err := os.Stat(filepath.Join(state, "otelcol-mcp", dir))
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o700), info.Mode().Perm(), dir)
	}
}

// TestDefaultHome is the default of a user who has no XDG_STATE_HOME.
func TestDefaultHome(t *testing.T) {
	home := t.TempDir()
	t.Setenv("XDG_STATE_HOME", "") // puts it back after the test
	require.NoError(t, os.Unsetenv("XDG_STATE_HOME"))
	start(t, []string{"HOME=" + home}, "--config", "embedded:default")
	assert.DirExists(t, filepath.Join(home, ".local", "state", "otelcol-mcp", "sessions"))
}

// TestListenHost runs the default as the container image does, with all ports on one address that is not localhost.
func TestListenHost(t *testing.T) {
	const host = "127.78.10.1"
	if listener, err := net.Listen("tcp", host+":7810"); err != nil {
		t.Skip("NOT TESTED: this system has no second loopback address: ", err)
	} else {
		listener.Close()
	}
	collector := harness.Start(t, "otelcol-mcp", harness.Collector(t),
		[]string{"LISTEN_HOST=" + host, "XDG_STATE_HOME=" + t.TempDir()}, []string{"--config", "embedded:default"})
	collector.Ready(t, func() bool { return harness.HTTPOK("http://" + host + ":13134/status") })
	for _, page := range []string{":7810/_inspector/ui", ":8898/metrics", ":8899/metrics"} {
		assert.True(t, harness.HTTPOK("http://"+host+page), page)
	}
	for _, port := range []string{"4319", "4327", "4328"} {
		connection, err := net.Dial("tcp", net.JoinHostPort(host, port))
		if assert.NoError(t, err) {
			connection.Close()
		}
	}
}

func oneSpan() (ptrace.Traces, ptrace.Span) {
	traces := ptrace.NewTraces()
	span := traces.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	span.SetTraceID([16]byte{1})
	span.SetSpanID([8]byte{1})
	span.SetName("tool.call")
	span.SetStartTimestamp(1_771_516_800_000_000_000)
	span.SetEndTimestamp(1_771_516_801_000_000_000)
	return traces, span
}

func spansOf(traces ptrace.Traces) []ptrace.Span {
	var spans []ptrace.Span
	for _, resource := range traces.ResourceSpans().All() {
		for _, scope := range resource.ScopeSpans().All() {
			for _, span := range scope.Spans().All() {
				spans = append(spans, span)
			}
		}
	}
	return spans
}

// zPages answer whatever Host a request names, and so a page of a browser that rebinds one.
func TestNoZPages(t *testing.T) {
	for _, name := range config.Names() {
		text, err := config.Read(name)
		require.NoError(t, err)
		assert.NotContains(t, string(text), "zpages", name)
	}
}
