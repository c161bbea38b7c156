package mcpreceiver

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/internal/prices"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// AgentsConfig configures how agents' reports are joined, those of hooks included.
type AgentsConfig struct {
	// InternalSpans passes on the spans of an agent's own machinery, or not: drop or
	// keep.
	InternalSpans string `mapstructure:"internal_spans"`
	// SessionKey are attributes that keep sessions of the same id apart: those of the
	// resource, else of the record or span, such as organization.id and user.id.
	SessionKey []string `mapstructure:"session_key"`
	// JoinWait is the time for which what has ended is held until a better source of its span
	// is known; 0 holds nothing.
	JoinWait time.Duration `mapstructure:"join_wait"`
	// StalledAfter is the time for which an agent with hooks may be silent while it works,
	// before it is reported as stalled.
	StalledAfter time.Duration `mapstructure:"stalled_after"`
	// EstimateCost estimates what calls cost whose agents do not report it, by the list prices
	// of the makers of models.
	EstimateCost bool `mapstructure:"estimate_cost"`
	// Prices list the costs of models whose agents do not report them. The first that fits
	// counts, before the list prices.
	Prices []PriceConfig `mapstructure:"prices"`
	// ContextWindows give the number of tokens that fit into the context of models whose agents
	// do not report it. The first that fits counts, before those that are known.
	ContextWindows []WindowConfig `mapstructure:"context_windows"`
	_              struct{}
}

// PriceConfig holds what a model costs, in US dollars per million tokens.
type PriceConfig struct {
	// Model is the name of the model, in which * stands for any text.
	Model  string  `mapstructure:"model"`
	Input  float64 `mapstructure:"input"`
	Output float64 `mapstructure:"output"`
	// CacheRead and CacheWrite are those of input that was read from or written to the cache.
	// Without them it costs what other input costs.
	CacheRead  *float64 `mapstructure:"cache_read"`
	CacheWrite *float64 `mapstructure:"cache_write"`
	_          struct{}
}

// WindowConfig is the number of tokens that fit into the context of a model.
type WindowConfig struct {
	// Model is the name of the model, in which * stands for any text.
	Model  string `mapstructure:"model"`
	Tokens int64  `mapstructure:"tokens"`
	_      struct{}
}

// The values of agents::internal_spans.
const (
	internalDrop = "drop"
	internalKeep = "keep"
)

func defaultAgents() AgentsConfig {
	opt := session.DefaultAgents()
	return AgentsConfig{InternalSpans: internalDrop, JoinWait: opt.JoinWait, StalledAfter: opt.StalledAfter, EstimateCost: true}
}

func (c *AgentsConfig) check() (errs error) {
	if s := c.InternalSpans; s != internalDrop && s != internalKeep {
		errs = fmt.Errorf("agents::internal_spans: %q is unknown, choose from %s and %s", s, internalDrop, internalKeep)
	}
	if slices.Contains(c.SessionKey, "") {
		errs = errors.Join(errs, errors.New("agents::session_key must not have an empty name"))
	}
	if d := c.JoinWait; d < 0 || d > 0 && d < time.Millisecond {
		errs = errors.Join(errs, fmt.Errorf("agents::join_wait must be 0 or at least 1ms, it is %v: give a unit, as in 10s", d))
	}
	if d := c.StalledAfter; d < time.Second {
		errs = errors.Join(errs, fmt.Errorf("agents::stalled_after must be at least 1s, it is %v: give a unit, as in 10m", d))
	}
	for i, p := range c.Prices {
		negative := func(rate *float64) bool { return rate != nil && *rate < 0 }
		if p.Model == "" || p.Input < 0 || p.Output < 0 || negative(p.CacheRead) || negative(p.CacheWrite) {
			errs = errors.Join(errs, fmt.Errorf("agents::prices::%d must have a model, and no price below 0", i))
		}
	}
	for i, w := range c.ContextWindows {
		if w.Model == "" || w.Tokens <= 0 {
			errs = errors.Join(errs, fmt.Errorf("agents::context_windows::%d must have a model, and tokens above 0", i))
		}
	}
	return errs
}

// table returns the prices by which costs are estimated.
func (c *AgentsConfig) table() *prices.Table {
	var first []prices.Price
	for _, p := range c.Prices {
		first = append(first, prices.Price{Model: p.Model, Rates: prices.Rates{
			Input: p.Input, Output: p.Output, CacheRead: p.CacheRead, CacheWrite: p.CacheWrite,
		}})
	}
	return prices.New(first, c.EstimateCost)
}

// options returns the same for an engine.
func (c *AgentsConfig) options() *session.AgentOptions {
	opt := session.DefaultAgents()
	opt.JoinWait, opt.StalledAfter = c.JoinWait, c.StalledAfter
	opt.Prices = c.table()
	var windows []session.Window
	for _, w := range c.ContextWindows {
		windows = append(windows, session.Window{Model: w.Model, Tokens: w.Tokens})
	}
	opt.Windows = session.WithKnownWindows(windows)
	return &opt
}
