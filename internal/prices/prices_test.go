package prices

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func day(t *testing.T, text string) int64 {
	at, err := time.Parse(time.DateOnly, text)
	require.NoError(t, err)
	return at.UnixNano()
}

// Input includes what was read from and written to the cache, output includes reasoning.
func TestCost(t *testing.T) {
	read, written := 1.0, 12.0
	r := Rates{Input: 10, Output: 20, CacheRead: &read, CacheWrite: &written}
	u := Usage{Input: 1e6, CacheRead: 4e5, CacheWrite: 1e5, Output: 1e5, Reasoning: 5e4}
	assert.InDelta(t, 5+0.4+1.2+2, r.Cost(&u), 1e-9)

	r.CacheRead, r.CacheWrite = nil, nil
	assert.InDelta(t, 10+2, r.Cost(&u), 1e-9, "without a price of its own, cached input costs what other input does")

	u = Usage{Input: 10, CacheRead: 100, CacheWrite: 100}
	assert.GreaterOrEqual(t, r.Cost(&u), 0.0, "no part is larger than the whole")
}

func TestConfiguredPricesGoFirst(t *testing.T) {
	table := New([]Price{{"big-*", Rates{Input: 2}}, {"claude-*", Rates{Input: 1}}}, true)
	for model, want := range map[string]float64{"big-1": 2, "claude-opus-4-5": 1, "gpt-5": 1.25} {
		cost, ok := table.Call(model, &Usage{Input: 1e6}, day(t, "2026-10-01"))
		assert.True(t, ok, model)
		assert.InDelta(t, want, cost, 1e-9, model)
	}
}

// What has no price has no cost: not one of 0.
func TestUnknownModels(t *testing.T) {
	for _, model := range []string{"", "claude-test", "gpt-test", "unknown", "deepseek-r1:8b", "deepseek/deepseek-chat-v3-0324:free", "gpt-oss:20b"} {
		_, ok := New(nil, true).Call(model, &Usage{Input: 1e6}, 0)
		assert.False(t, ok, model)
	}
	_, ok := New(nil, false).Call("gpt-5", &Usage{Input: 1}, 0)
	assert.False(t, ok)
	_, ok = (*Table)(nil).Call("gpt-5", &Usage{Input: 1}, 0)
	assert.False(t, ok)
}

// Models have the names that their makers, clouds, gateways and agents give them.
func TestNames(t *testing.T) {
	for model, want := range map[string]float64{
		"claude-sonnet-4-20250514":                   3,
		"anthropic/claude-sonnet-4":                  3,
		"eu.anthropic.claude-sonnet-4-20250514-v1:0": 3,
		"claude-sonnet-4@20250514":                   3,
		"claude-sonnet-4-20250514[1m]":               3,
		"GPT-5-Codex":                                1.25,
		"models/gemini-2.5-flash":                    0.3,
		"claude-fable-5-20260801":                    10,
		"claude-opus-5-5":                            4,
		"gemini-2.5-pro-tts":                         1,
		"gemini-2.5-pro-preview-05-06":               1.25,
	} {
		cost, ok := New(nil, true).Call(model, &Usage{Input: 1e5}, day(t, "2026-10-01"))
		assert.True(t, ok, model)
		assert.InDelta(t, want/10, cost, 1e-9, model)
	}
}

// A price holds from a day on, and a long input makes all tokens of its call dearer, but
// not those of calls that were long only together.
func TestDaysAndLongInputs(t *testing.T) {
	table := New(nil, true)
	for _, c := range []struct {
		model, day string
		input      int64
		call, sum  float64
	}{
		{"claude-opus-4-6", "2026-03-12", 1e6, 10, 5},
		{"claude-opus-4-6", "2026-03-13", 1e6, 5, 5},
		{"gpt-5.5", "2026-10-01", 271_999, 5 * 0.271999, 5 * 0.271999},
		{"gpt-5.5", "2026-10-01", 272_000, 10 * 0.272, 5 * 0.272},
	} {
		u := Usage{Input: c.input}
		cost, _ := table.Call(c.model, &u, day(t, c.day))
		assert.InDelta(t, c.call, cost, 1e-9, c)
		cost, _ = table.Calls(c.model, &u, day(t, c.day))
		assert.InDelta(t, c.sum, cost, 1e-9, c)
	}
}

func TestSource(t *testing.T) {
	own := []Price{{Model: "x"}}
	assert.Empty(t, (*Table)(nil).Source())
	assert.Empty(t, New(nil, false).Source())
	assert.Equal(t, "configured prices", New(own, false).Source())
	assert.Regexp(t, `^@pydantic/genai-prices \d+\.\d+\.\d+ \(\d{4}-\d\d-\d\d\)$`, New(nil, true).Source())
	assert.Regexp(t, `^configured prices, else @pydantic/genai-prices `, New(own, true).Source())
}

// Each model of the table is found by its own id, and has prices that can be.
func TestTable(t *testing.T) {
	var file struct {
		Licence string
		Models  []struct{ Maker, ID string }
	}
	require.NoError(t, json.Unmarshal(table, &file))
	assert.Contains(t, file.Licence, "MIT")
	makers := map[string]int{}
	for i, m := range file.Models {
		makers[m.Maker]++
		require.NotEmpty(t, read().Models[i].Prices, m.ID)
		for _, p := range read().Models[i].Prices {
			assert.GreaterOrEqual(t, p.Output, p.Input*0.5, m.ID)
			assert.Less(t, p.Output, 1000.0, m.ID)
			if p.CacheRead != nil {
				assert.LessOrEqual(t, *p.CacheRead, p.Input, m.ID)
			}
		}
	}
	for _, maker := range []string{"anthropic", "openai", "google"} {
		assert.Greater(t, makers[maker], 15, maker)
	}
}

func BenchmarkUnknownModel(b *testing.B) {
	table := New(nil, true)
	for b.Loop() {
		table.Call("vendor/some-model-of-ones-own-20261001", &Usage{Input: 1}, 0)
	}
}
