package mcpreceiver

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/confmaptest"
)

// load reads one of the instances in testdata/config.yaml.
func load(t *testing.T, name string) (*Config, error) {
	conf, err := confmaptest.LoadConf(filepath.Join("testdata", "config.yaml"))
	require.NoError(t, err)
	require.True(t, conf.IsSet(name), name)
	sub, err := conf.Sub(name)
	require.NoError(t, err)
	cfg := createDefaultConfig().(*Config)
	return cfg, sub.Unmarshal(cfg)
}

func TestDefaults(t *testing.T) {
	cfg, err := load(t, "mcp")
	require.NoError(t, err)
	require.NoError(t, confmap.Validate(cfg))
	assert.Equal(t, createDefaultConfig(), cfg)
	http := cfg.HTTP.Get()
	assert.Equal(t, "localhost:4319", http.NetAddr.Endpoint)
	assert.Equal(t, 5*time.Minute, http.IdleTimeout)
	assert.Equal(t, int64(20971520), http.MaxRequestBodySize)
	cfg.HTTP = configoptional.None[confighttp.ServerConfig]()
	assert.False(t, cfg.OTLP.HasValue(), "no OTLP without the key")
	assert.Equal(t, &Config{
		OTLP:       defaultOTLP(),
		Agents:     AgentsConfig{InternalSpans: "drop", JoinWait: 10 * time.Second, StalledAfter: 10 * time.Minute, EstimateCost: true},
		Webhooks:   defaultWebhooks(),
		TraceFiles: TraceFilesConfig{PollInterval: time.Second},
		Settings: Settings{
			Conventions:     []string{"inspector", "otel"},
			Capture:         CaptureConfig{Payloads: true, PayloadKeys: []string{"inspector"}},
			Session:         SessionConfig{IdleTimeout: 30 * time.Minute, Linger: 2 * time.Minute, MaxSessions: 100000, MaxSpans: 10000, MaxFacts: 20000, Remember: 24 * time.Hour},
			Call:            CallConfig{StuckAfter: 2 * time.Minute, Timeout: time.Hour, MaxOpen: 100000},
			Host:            HostConfig{StalledAfter: 3 * time.Minute},
			Reminder:        ReminderConfig{Undeclared: "record"},
			Log:             LogConfig{MinLevel: "debug"},
			Metrics:         MetricsConfig{Interval: 15 * time.Second},
			DropMethods:     []string{"ping"},
			StorageInterval: time.Second,
			Limits:          LimitsConfig{LabelValues: 200, ProgressEvents: 64, TextBytes: 4096, NoticesPerSecond: 200, DedupeKeys: 64},
		},
	}, cfg)
}

func TestEveryKey(t *testing.T) {
	cfg, err := load(t, "mcp/all")
	require.NoError(t, err)
	require.NoError(t, confmap.Validate(cfg))
	http := cfg.HTTP.Get()
	assert.Equal(t, "localhost:4999", http.NetAddr.Endpoint)
	assert.Equal(t, time.Minute, http.IdleTimeout)
	assert.Equal(t, int64(1024), http.MaxRequestBodySize)
	assert.Equal(t, []string{"https://app.example"}, http.CORS.Get().AllowedOrigins)
	cfg.HTTP = configoptional.None[confighttp.ServerConfig]()
	require.Len(t, cfg.Inspector, 1)
	assert.Equal(t, "http://localhost:7800/_inspector/events", cfg.Inspector[0].Endpoint)
	assert.True(t, cfg.Inspector[0].FetchTraces)
	assert.True(t, cfg.Inspector[0].ForceAttemptHTTP2, "the defaults of an HTTP client hold")
	cfg.Inspector = nil
	otlp := cfg.OTLP.Get()
	assert.Equal(t, "localhost:4999", otlp.Protocols.HTTP.Get().ServerConfig.NetAddr.Endpoint)
	assert.Equal(t, "/v1/traces", string(otlp.Protocols.HTTP.Get().TracesURLPath), "the defaults of the OTLP receiver hold")
	assert.Equal(t, "localhost:4317", otlp.Protocols.GRPC.Get().NetAddr.Endpoint)
	assert.Equal(t, "pass", otlp.Metrics)
	cfg.OTLP = defaultOTLP()
	storage, read, written := component.MustNewID("file_storage"), 0.125, 1.5
	assert.Equal(t, &Config{
		OTLP: defaultOTLP(),
		Agents: AgentsConfig{
			InternalSpans: "keep", SessionKey: []string{"organization.id"}, JoinWait: 5 * time.Second, StalledAfter: 20 * time.Minute,
			Prices:         []PriceConfig{{Model: "gpt-*", Input: 1.25, Output: 10, CacheRead: &read, CacheWrite: &written}},
			ContextWindows: []WindowConfig{{Model: "gpt-*", Tokens: 400000}},
		},
		Hooks:      HooksConfig{SessionKey: []string{"x-organization-id"}},
		Webhooks:   defaultWebhooks(),
		TraceFiles: TraceFilesConfig{Include: []string{"~/.mcp_traces/*.jsonl"}, PollInterval: 5 * time.Second},
		Settings: Settings{
			Namespace: "prod", ServiceName: "agents", Conventions: []string{"otel"},
			Capture:  CaptureConfig{PayloadKeys: []string{"inspector", "otel"}, Envelopes: true},
			Session:  SessionConfig{IdleTimeout: time.Hour, MaxSessions: 7, MaxSpans: 11, MaxFacts: 500, Remember: time.Hour},
			Call:     CallConfig{StuckAfter: 10 * time.Minute, Timeout: 2 * time.Hour, MaxOpen: 8, MaxOpenBytes: 4096},
			Host:     HostConfig{StalledAfter: 5 * time.Minute},
			Reminder: ReminderConfig{Undeclared: "drop"},
			Log:      LogConfig{MinLevel: "warning"},
			Metrics:  MetricsConfig{Interval: time.Minute, ResourceURIs: true},
			InBand:   true,
			Storage:  &storage, StorageInterval: 5 * time.Second, StorageSync: true,
			DropMethods: []string{"ping", "tools/list"},
			Limits:      LimitsConfig{LabelValues: 3, ProgressEvents: 2, TextBytes: 64, NoticesPerSecond: 50, DedupeKeys: 4},
		},
	}, cfg)
}

func TestEveryKeyOfEvents(t *testing.T) {
	cfg, err := load(t, "mcp/events")
	require.NoError(t, err)
	require.NoError(t, confmap.Validate(cfg))
	require.Len(t, cfg.Events, 2)
	assert.Equal(t, "Bearer x", func() string { v, _ := cfg.Events[0].Headers.Get("authorization"); return string(v) }())
	want := newEventsConfig()
	want.Endpoint, want.Headers = "https://mcp.example.com/mcp", cfg.Events[0].Headers
	want.Generation, want.Delivery, want.MaxEvents = "g3", []string{"webhook", "poll"}, 7
	want.Subscriptions = []SubscriptionConfig{{Name: "incident.created", Arguments: map[string]any{"severity": "P1"}, MaxAge: 5 * time.Minute}}
	want.Webhook = WebhookConfig{
		URL: "https://collector.example.com/v1/webhooks", Secret: "whsec_" + "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
		SecretEncoding: "literal", TTL: time.Hour, UnsubscribeOnShutdown: true,
	}
	assert.Equal(t, want, cfg.Events[0])
	want = newEventsConfig()
	want.Endpoint, want.Subscriptions = "http://localhost:1/mcp", []SubscriptionConfig{{Name: "a"}}
	assert.Equal(t, want, cfg.Events[1], "what is not set has its default")
	assert.Equal(t, "localhost:4330", cfg.Webhooks.HTTP.Get().NetAddr.Endpoint)
	assert.Equal(t, 30*time.Second, cfg.Webhooks.HTTP.Get().ReadTimeout)
	assert.Equal(t, []WebhookSecretConfig{
		{SubscriptionID: "sub_1", Secret: "whsec_0123456789abcdef", Encoding: "literal", Endpoint: "https://a.example/mcp"},
		{Secret: "whsec_" + "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", Encoding: "base64"},
	}, cfg.Webhooks.Secrets)
}

func TestEventsThatCannotWork(t *testing.T) {
	for message, change := range map[string]func(*Config, *EventsConfig){
		"events::0::endpoint must be":             func(_ *Config, e *EventsConfig) { e.Endpoint = "mcp.example.com" },
		"events::0::generation: \"g4\"":           func(_ *Config, e *EventsConfig) { e.Generation = "g4" },
		"events::0::delivery: \"mail\"":           func(_ *Config, e *EventsConfig) { e.Delivery = []string{"mail"} },
		"events::0::delivery and subscriptions":   func(_ *Config, e *EventsConfig) { e.Subscriptions = nil },
		"events::0::subscriptions::0 needs":       func(_ *Config, e *EventsConfig) { e.Subscriptions[0].Name = "" },
		"events::0::subscriptions::1 is the same": func(_ *Config, e *EventsConfig) { e.Subscriptions = append(e.Subscriptions, e.Subscriptions[0]) },
		"events::0::delivery is webhook alone":    func(_ *Config, e *EventsConfig) { e.Delivery, e.Webhook.URL = []string{"webhook"}, "" },
		"webhooks::secrets is set, but nothing": func(c *Config, _ *EventsConfig) {
			c.Webhooks = defaultWebhooks()
			c.Webhooks.Secrets = []WebhookSecretConfig{{Secret: "x", Encoding: "base64"}}
		},
		"events::0::max_events":                 func(_ *Config, e *EventsConfig) { e.MaxEvents = 0 },
		"events::0::webhook::url must be":       func(_ *Config, e *EventsConfig) { e.Webhook.URL = "http://collector.example.com/v1/webhooks" },
		"events::0::webhook::secret must be":    func(_ *Config, e *EventsConfig) { e.Webhook.Secret = "whsec_short" },
		"events::0::webhook::secret_encoding":   func(_ *Config, e *EventsConfig) { e.Webhook.SecretEncoding = "hex" },
		"events::0::webhook::ttl must be":       func(_ *Config, e *EventsConfig) { e.Webhook.TTL = 60 },
		"events::0::webhook::url is set, but":   func(c *Config, _ *EventsConfig) { c.Webhooks = defaultWebhooks() },
		"webhooks::secrets::0::secret is empty": func(c *Config, _ *EventsConfig) { c.Webhooks.Secrets = []WebhookSecretConfig{{Encoding: "base64"}} },
		"webhooks::secrets::0::encoding":        func(c *Config, _ *EventsConfig) { c.Webhooks.Secrets = []WebhookSecretConfig{{Secret: "x"}} },
		"webhooks::secrets::1::secret must be whsec_": func(c *Config, _ *EventsConfig) { // ${env:UNSET} leaves nothing
			c.Webhooks.Secrets = []WebhookSecretConfig{{Secret: "any text, long enough", Encoding: "literal"}, {Secret: "whsec_", Encoding: "base64"}}
		},
		"webhooks::secrets::0::secret must be": func(c *Config, _ *EventsConfig) {
			c.Webhooks.Secrets = []WebhookSecretConfig{{Secret: "this is not base64, and long enough", Encoding: "base64"}}
		},
		"webhooks::secrets::0::secret must have at least 16": func(c *Config, _ *EventsConfig) {
			c.Webhooks.Secrets = []WebhookSecretConfig{{Secret: "whsec_", Encoding: "literal"}}
		},
	} {
		cfg, err := load(t, "mcp/events")
		require.NoError(t, err)
		change(cfg, &cfg.Events[0])
		require.ErrorContains(t, cfg.Validate(), message)
	}
}

func TestSwitches(t *testing.T) {
	cfg, err := load(t, "mcp/no_http")
	require.NoError(t, err)
	require.NoError(t, confmap.Validate(cfg))
	assert.False(t, cfg.HTTP.HasValue())
	cfg, err = load(t, "mcp/drop_nothing")
	require.NoError(t, err)
	require.NoError(t, confmap.Validate(cfg))
	assert.Empty(t, cfg.DropMethods)
}

// An error about a key that does not exist names the nearest one.
func TestUnknownKeysAreErrors(t *testing.T) {
	for name, want := range map[string]string{
		"mcp/unknown": "sesion session", "mcp/unknown_http": "endpont http::endpoint", "mcp/unknown_capture": "payload capture::payloads",
		"mcp/unknown_session": "idle session::idle_timeout", "mcp/unknown_call": "stuck call::stuck_after", "mcp/unknown_limits": "text limits::text_bytes",
	} {
		_, err := load(t, name)
		require.Error(t, err, name)
		key, meant, _ := strings.Cut(want, " ")
		assert.Contains(t, err.Error(), "has invalid keys: "+key)
		assert.Contains(t, err.Error(), "do you mean "+meant+"?")
	}
}

func TestValidate(t *testing.T) {
	for want, spoil := range map[string]func(*Config){
		`agents::internal_spans: "yes" is unknown, choose from drop and keep`:                                               func(c *Config) { c.Agents.InternalSpans = "yes" },
		"agents::session_key must not have an empty name":                                                                   func(c *Config) { c.Agents.SessionKey = []string{""} },
		"agents::join_wait must be 0 or at least 1ms, it is 10ns: give a unit, as in 10s":                                   func(c *Config) { c.Agents.JoinWait = 10 },
		"agents::stalled_after must be at least 1s, it is 10ns: give a unit, as in 10m":                                     func(c *Config) { c.Agents.StalledAfter = 10 },
		"agents::prices::0 must have a model, and no price below 0":                                                         func(c *Config) { c.Agents.Prices = []PriceConfig{{Input: 1}} },
		"agents::context_windows::0 must have a model, and tokens above 0":                                                  func(c *Config) { c.Agents.ContextWindows = []WindowConfig{{Model: "m"}} },
		"conventions must name at least one of inspector and otel":                                                          func(c *Config) { c.Conventions = nil },
		`conventions: "jaeger" is unknown, choose from inspector and otel`:                                                  func(c *Config) { c.Conventions = []string{"otel", "jaeger"} },
		"capture::payload_keys must name at least one of inspector and otel":                                                func(c *Config) { c.Capture.PayloadKeys = []string{} },
		`capture::payload_keys: "OTel" is unknown, choose from inspector and otel`:                                          func(c *Config) { c.Capture.PayloadKeys = []string{"OTel"} },
		"drop_methods must not contain an empty name":                                                                       func(c *Config) { c.DropMethods = []string{"a", ""} },
		"session::idle_timeout must be at least 1s, it is 0s: give a unit, as in 30s or 5m":                                 func(c *Config) { c.Session.IdleTimeout = 0 },
		"session::linger must be at least 0s, it is -1s":                                                                    func(c *Config) { c.Session.Linger = -time.Second },
		"session::max_sessions must be at least 1, it is 0":                                                                 func(c *Config) { c.Session.MaxSessions = 0 },
		"session::max_spans must be at least 10, it is 9":                                                                   func(c *Config) { c.Session.MaxSpans = 9 },
		"session::max_facts must be at least 100, it is 99":                                                                 func(c *Config) { c.Session.MaxFacts = 99 },
		"session::remember must be at least 0s, it is -1s":                                                                  func(c *Config) { c.Session.Remember = -time.Second },
		"call::timeout must be at least 1s, it is -1ns: give a unit, as in 30s or 5m":                                       func(c *Config) { c.Call.Timeout = -1 },
		"call::max_open must be at least 1, it is -1":                                                                       func(c *Config) { c.Call.MaxOpen = -1 },
		"call::max_open_bytes must be at least 0, it is -1":                                                                 func(c *Config) { c.Call.MaxOpenBytes = -1 },
		"call::stuck_after must be at least 1s, it is 3ns: give a unit, as in 30s or 5m":                                    func(c *Config) { c.Call.StuckAfter = 3 },
		"host::stalled_after must be at least 1s, it is 0s: give a unit, as in 30s or 5m":                                   func(c *Config) { c.Host.StalledAfter = 0 },
		`span_names: "otel" is unknown, choose from inspector and semconv`:                                                  func(c *Config) { c.SpanNames = "otel" },
		`reminder::undeclared: "keep" is unknown, choose from record and drop`:                                              func(c *Config) { c.Reminder.Undeclared = "keep" },
		`log::min_level: "warn" is unknown, choose from debug, info, notice, warning, error, critical, alert and emergency`: func(c *Config) { c.Log.MinLevel = "warn" },
		"metrics::interval must be at least 1s, it is 0s: give a unit, as in 30s or 5m":                                     func(c *Config) { c.Metrics.Interval = 0 },
		"limits::notices_per_second must be at least 1, it is 0":                                                            func(c *Config) { c.Limits.NoticesPerSecond = 0 },
		"limits::dedupe_keys must be at least 1, it is 0":                                                                   func(c *Config) { c.Limits.DedupeKeys = 0 },
		"inspector::0::endpoint must be an http or https URL, as in http://localhost:7800/_inspector/events":                func(c *Config) { c.Inspector = []InspectorConfig{{}} },
		"trace_files::include::0 is not a pattern of file names, as in ~/.mcp_traces/*.jsonl.gz":                            func(c *Config) { c.TraceFiles.Include = []string{"["} },
		"trace_files::poll_interval must be at least 10ms, it is 0s: give a unit, as in 1s":                                 func(c *Config) { c.TraceFiles = TraceFilesConfig{Include: []string{"x"}} },
		"limits::label_values must be at least 1, it is 0":                                                                  func(c *Config) { c.Limits.LabelValues = 0 },
		"limits::progress_events must be at least 2, it is 1":                                                               func(c *Config) { c.Limits.ProgressEvents = 1 },
		"limits::text_bytes must be at least 64, it is 63":                                                                  func(c *Config) { c.Limits.TextBytes = 63 },
		`hooks::session_key::1: "" is not the name of a header, such as X-Organization-Id`:                                  func(c *Config) { c.Hooks.SessionKey = []string{"X-Team", ""} },
		`hooks::session_key::0: "X Team" is not the name of a header, such as X-Organization-Id`:                            func(c *Config) { c.Hooks.SessionKey = []string{"X Team"} },
		"hooks::session_key::0: Authorization is a secret, and ids of sessions are shown":                                   func(c *Config) { c.Hooks.SessionKey = []string{"authorization"} },
		"call::max_open must be at least 1, it is 0\nlimits::text_bytes must be at least 64, it is 0":                       func(c *Config) { c.Call.MaxOpen, c.Limits.TextBytes = 0, 0 },
	} {
		cfg := createDefaultConfig().(*Config)
		spoil(cfg)
		assert.EqualError(t, cfg.Validate(), want)
	}
}
