package mcpreceiver

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"go.opentelemetry.io/collector/component"

	"github.com/otelcol-mcp/otelcol-mcp/internal/correlate"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Settings are the keys of sessions.
type Settings struct {
	// Storage is the extension that keeps what is open, and how far trace files and
	// events were read. Without one, what is open ends when the collector stops.
	Storage *component.ID `mapstructure:"storage"`
	// StorageInterval is the interval at which what is open is written there, if it changed: a
	// crash loses that much of it.
	StorageInterval time.Duration `mapstructure:"storage_interval"`
	// StorageSync writes what a request changed before it is answered, so that a
	// crash loses nothing that was answered. It needs Storage.
	StorageSync bool `mapstructure:"storage_sync"`
	// Namespace keeps the sessions of one deployment apart from another's that
	// have the same names. All replicas must have the same one.
	Namespace string `mapstructure:"namespace"`
	// ServiceName replaces the senders' own names as service.name.
	ServiceName string `mapstructure:"service_name"`
	// Conventions are the attribute families written: inspector, otel.
	Conventions []string `mapstructure:"conventions"`
	// SpanNames are the names of spans: inspector or semconv. Empty, they are the
	// Inspector's, unless only the attributes of otel are written.
	SpanNames string         `mapstructure:"span_names"`
	Capture   CaptureConfig  `mapstructure:"capture"`
	Session   SessionConfig  `mapstructure:"session"`
	Call      CallConfig     `mapstructure:"call"`
	Host      HostConfig     `mapstructure:"host"`
	Reminder  ReminderConfig `mapstructure:"reminder"`
	Log       LogConfig      `mapstructure:"log"`
	Metrics   MetricsConfig  `mapstructure:"metrics"`
	// InBand lets spans through that servers send along with their replies, if
	// they belong to the call's trace.
	InBand bool `mapstructure:"in_band"`
	// DropMethods are methods that are not reported.
	DropMethods []string     `mapstructure:"drop_methods"`
	Limits      LimitsConfig `mapstructure:"limits"`
	// prevent unkeyed literal initialization
	_ struct{}
}

// defaultSettings returns what holds where nothing is configured.
func defaultSettings() Settings {
	return Settings{
		Conventions: []string{conventionInspector, conventionOTel},
		Capture:     CaptureConfig{Payloads: true, PayloadKeys: []string{conventionInspector}},
		Session: SessionConfig{
			IdleTimeout: 30 * time.Minute, Linger: 2 * time.Minute, MaxSessions: 100_000, MaxSpans: 10_000,
			MaxFacts: correlate.DefaultMaxFacts, Remember: 24 * time.Hour,
		},
		Call:        CallConfig{StuckAfter: 2 * time.Minute, Timeout: time.Hour, MaxOpen: 100_000},
		Host:        HostConfig{StalledAfter: 3 * time.Minute},
		Reminder:    ReminderConfig{Undeclared: undeclaredRecord},
		Log:         LogConfig{MinLevel: "debug"},
		Metrics:     MetricsConfig{Interval: 15 * time.Second},
		DropMethods: []string{mcpconv.MethodPing},

		StorageInterval: time.Second,
		Limits: LimitsConfig{
			LabelValues: 200, ProgressEvents: 64, TextBytes: 4096, NoticesPerSecond: 200, DedupeKeys: 64,
		},
	}
}

// CaptureConfig says how much of what was said is written down.
type CaptureConfig struct {
	// Payloads are arguments, results, prompts, titles and error texts. They may
	// hold secrets.
	Payloads bool `mapstructure:"payloads"`
	// PayloadKeys are the conventions under whose keys payloads are written.
	PayloadKeys []string `mapstructure:"payload_keys"`
	// Envelopes are whole requests and replies, in addition.
	Envelopes bool `mapstructure:"envelopes"`
	_         struct{}
}

// SessionConfig bounds sessions.
type SessionConfig struct {
	// IdleTimeout is the silence after which a session ends.
	IdleTimeout time.Duration `mapstructure:"idle_timeout"`
	// Linger is the time after its end in which late messages do not reopen a session.
	Linger time.Duration `mapstructure:"linger"`
	// MaxSessions bounds the open sessions; one more evicts the longest idle.
	MaxSessions int `mapstructure:"max_sessions"`
	// MaxSpans is after how many spans a session goes on in a new trace.
	MaxSpans int `mapstructure:"max_spans"`
	// MaxFacts is the number of calls, turns and the like that are kept of a session apart:
	// the oldest beyond it are folded into its totals.
	MaxFacts int `mapstructure:"max_facts"`
	// Remember is the time for which those of an ended session are kept, so that what comes
	// late counts once.
	Remember time.Duration `mapstructure:"remember"`
	_        struct{}
}

// CallConfig bounds open calls.
type CallConfig struct {
	// StuckAfter is the time for which a call may make no progress before it is reported as stuck.
	StuckAfter time.Duration `mapstructure:"stuck_after"`
	// Timeout is when a call without a reply is closed.
	Timeout time.Duration `mapstructure:"timeout"`
	// MaxOpen is the number of calls that may be open, in all sessions together.
	MaxOpen int `mapstructure:"max_open"`
	// MaxOpenBytes bounds the bytes of their payloads that are held; what sessions
	// hold is bounded by as much again. 0 is a 32nd of the memory there is, at
	// most 256 MiB.
	MaxOpenBytes int64 `mapstructure:"max_open_bytes"`
	_            struct{}
}

// HostConfig watches agent hosts.
type HostConfig struct {
	// StalledAfter is the time for which a host that is not idle may be silent
	// before it is reported as stalled.
	StalledAfter time.Duration `mapstructure:"stalled_after"`
	_            struct{}
}

// ReminderConfig says what becomes of reminders.
type ReminderConfig struct {
	// Undeclared says what becomes of those whose server did not declare that it
	// sends any: record or drop.
	Undeclared string `mapstructure:"undeclared"`
	_          struct{}
}

// LogConfig says which log messages are wanted.
type LogConfig struct {
	// MinLevel is the least severe level of RFC 5424 that is recorded.
	MinLevel string `mapstructure:"min_level"`
	_        struct{}
}

// MetricsConfig says how metrics are reported.
type MetricsConfig struct {
	// Interval is the interval at which they are, while something changes.
	Interval time.Duration `mapstructure:"interval"`
	// ResourceURIs adds the URIs of resources to the durations of operations.
	ResourceURIs bool `mapstructure:"resource_uris"`
	_            struct{}
}

// LimitsConfig bounds what clients control.
type LimitsConfig struct {
	// InFlightBytes bounds the bytes of bodies that all requests in flight hold
	// together, decompressed; 0 is a quarter of the memory there is.
	InFlightBytes int64 `mapstructure:"in_flight_bytes"`
	// LabelValues bounds the different service names that clients make up.
	LabelValues int `mapstructure:"label_values"`
	// ProgressEvents bounds the progress notifications that a call keeps: the first
	// and the newest.
	ProgressEvents int `mapstructure:"progress_events"`
	// TextBytes is where names and short texts are cut.
	TextBytes int `mapstructure:"text_bytes"`
	// NoticesPerSecond is the number of notifications of one session that are recorded.
	NoticesPerSecond int `mapstructure:"notices_per_second"`
	// DedupeKeys bounds the keys of reminders that a session remembers.
	DedupeKeys int `mapstructure:"dedupe_keys"`
	_          struct{}
}

// The conventions there are.
const (
	conventionInspector = "inspector"
	conventionOTel      = "otel"
)

// check reports what is wrong with the settings.
func (c *Settings) check() error {
	return errors.Join(
		oneOf("conventions", c.Conventions),
		oneOf("capture::payload_keys", c.Capture.PayloadKeys),
		c.validateMethods(),
		longEnough("session::idle_timeout", c.Session.IdleTimeout),
		notNegative("session::linger", c.Session.Linger),
		positive("session::max_sessions", c.Session.MaxSessions),
		atLeast("session::max_spans", c.Session.MaxSpans, 10),
		atLeast("session::max_facts", c.Session.MaxFacts, 100),
		notNegative("session::remember", c.Session.Remember),
		longEnough("call::stuck_after", c.Call.StuckAfter),
		longEnough("call::timeout", c.Call.Timeout),
		positive("call::max_open", c.Call.MaxOpen),
		notNegative("call::max_open_bytes", c.Call.MaxOpenBytes),
		longEnough("host::stalled_after", c.Host.StalledAfter),
		c.validateWords(),
		longEnough("metrics::interval", c.Metrics.Interval),
		c.validateStorage(),
		notNegative("limits::in_flight_bytes", c.Limits.InFlightBytes),
		positive("limits::label_values", c.Limits.LabelValues),
		positive("limits::notices_per_second", c.Limits.NoticesPerSecond),
		positive("limits::dedupe_keys", c.Limits.DedupeKeys),
		atLeast("limits::progress_events", c.Limits.ProgressEvents, 2),
		atLeast("limits::text_bytes", c.Limits.TextBytes, 64),
	)
}

func (c *Settings) validateMethods() error {
	if slices.Contains(c.DropMethods, "") {
		return errors.New("drop_methods must not contain an empty name")
	}
	return nil
}

// The values of reminder::undeclared.
const (
	undeclaredRecord = "record"
	undeclaredDrop   = "drop"
)

// The values of span_names, besides none.
const (
	namesInspector = "inspector"
	namesSemconv   = "semconv"
)

// semconvNames reports whether spans have the names of the semantic conventions.
func (c *Settings) semconvNames() bool {
	if c.SpanNames == "" {
		return !slices.Contains(c.Conventions, conventionInspector)
	}
	return c.SpanNames == namesSemconv
}

func (c *Settings) validateWords() error {
	var errs error
	if u := c.Reminder.Undeclared; u != undeclaredRecord && u != undeclaredDrop {
		errs = fmt.Errorf("reminder::undeclared: %q is unknown, choose from %s and %s", u, undeclaredRecord, undeclaredDrop)
	}
	if n := c.SpanNames; n != "" && n != namesInspector && n != namesSemconv {
		errs = errors.Join(errs, fmt.Errorf("span_names: %q is unknown, choose from %s and %s", n, namesInspector, namesSemconv))
	}
	if mcpconv.Levels[c.Log.MinLevel] == 0 {
		errs = errors.Join(errs, fmt.Errorf(
			"log::min_level: %q is unknown, choose from debug, info, notice, warning, error, critical, alert and emergency", c.Log.MinLevel))
	}
	return errs
}

func oneOf(key string, values []string) error {
	if len(values) == 0 {
		return fmt.Errorf("%s must name at least one of %s and %s", key, conventionInspector, conventionOTel)
	}
	for _, v := range values {
		if v != conventionInspector && v != conventionOTel {
			return fmt.Errorf("%s: %q is unknown, choose from %s and %s", key, v, conventionInspector, conventionOTel)
		}
	}
	return nil
}

// fastestStorage spares the disk.
const fastestStorage = 100 * time.Millisecond

func (c *Settings) validateStorage() error {
	if c.StorageSync && c.Storage == nil {
		return errors.New("storage_sync needs storage: set that to a storage extension such as file_storage")
	}
	if c.StorageInterval < fastestStorage {
		return fmt.Errorf("storage_interval must be at least %v, it is %v: give a unit, as in 1s", fastestStorage, c.StorageInterval)
	}
	return nil
}

// longEnough catches durations without a unit, which are nanoseconds.
func longEnough(key string, d time.Duration) error {
	if d < time.Second {
		return fmt.Errorf("%s must be at least 1s, it is %v: give a unit, as in 30s or 5m", key, d)
	}
	return nil
}

type integer interface{ ~int | ~int64 }

func positive[T integer](key string, v T) error { return atLeast(key, v, 1) }

func notNegative[T integer](key string, v T) error { return atLeast(key, v, 0) }

func atLeast[T integer](key string, v, least T) error {
	if v < least {
		return fmt.Errorf("%s must be at least %v, it is %v", key, least, v)
	}
	return nil
}
