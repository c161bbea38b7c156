// Package prices estimates what calls of language models cost, by their tokens.
package prices

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

//go:generate npm --prefix ../../tools/prices run --silent generate

// Usage holds the tokens of a call. Input includes what was read from and written to the
// cache, Output includes reasoning.
type Usage struct {
	Input, Output, CacheRead, CacheWrite, Reasoning int64
}

// Rates are prices in US dollars per million tokens. Without prices of their own, tokens
// of the cache cost what other input costs.
type Rates struct {
	Input      float64  `json:"input"`
	Output     float64  `json:"output"`
	CacheRead  *float64 `json:"cache_read"`
	CacheWrite *float64 `json:"cache_write"`
}

// Cost returns the cost of that usage.
func (r *Rates) Cost(u *Usage) float64 {
	cached := func(tokens int64, rate *float64) float64 {
		if rate == nil {
			return float64(tokens) * r.Input
		}
		return float64(tokens) * *rate
	}
	read := min(max(u.CacheRead, 0), u.Input)
	written := min(max(u.CacheWrite, 0), u.Input-read)
	const million = 1e6
	return (float64(u.Input-read-written)*r.Input + cached(read, r.CacheRead) + cached(written, r.CacheWrite) + float64(u.Output)*r.Output) / million
}

// Price is a price that somebody configured.
type Price struct {
	Model string // in which * stands for any text
	Rates
}

// Table holds prices of models. A nil one is empty. It does not change.
type Table struct {
	first  []Price
	listed *listed
}

// New returns a table of the prices, before which no other price counts, and of the list
// prices of makers of models if these are wanted.
func New(first []Price, listPrices bool) *Table {
	t := &Table{first: first}
	if listPrices {
		t.listed = read()
	}
	return t
}

// Source names where the prices come from, and of which day they are; "" if there is none.
func (t *Table) Source() string {
	switch {
	case t == nil, t.listed == nil && len(t.first) == 0:
		return ""
	case t.listed == nil:
		return configured
	case len(t.first) == 0:
		return t.listed.String()
	}
	return configured + ", else " + t.listed.String()
}

const configured = "configured prices"

// Call returns the cost of one call at that time, in Unix ns; it is false for a model without
// a price.
func (t *Table) Call(model string, u *Usage, at int64) (cost float64, ok bool) {
	return t.cost(model, u, at, u.Input)
}

// Calls returns the cost of several calls that used that together. What a price adds for a
// long input does not count: how long each one was is not known.
func (t *Table) Calls(model string, u *Usage, at int64) (cost float64, ok bool) {
	return t.cost(model, u, at, 0)
}

func (t *Table) cost(model string, u *Usage, at, longest int64) (cost float64, ok bool) {
	if t == nil || model == "" {
		return 0, false
	}
	for i := range t.first {
		if p := &t.first[i]; Matches(p.Model, model) {
			return p.Cost(u), true
		}
	}
	if t.listed == nil {
		return 0, false
	}
	m := t.listed.find(plain(model))
	if m == nil {
		return 0, false
	}
	return m.rates(at, longest).Cost(u), true
}

// plain returns the maker's name of a model, without what a gateway, a cloud or an agent
// adds to it: anthropic/claude-x, eu.anthropic.claude-x-v1:0, models/gemini-x, claude-x[1m].
// It is "" for names with another tag, which are those of models on one's own machine, or
// of other prices.
func plain(model string) string {
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	name, _, _ = strings.Cut(name, "[")
	if before, version, tagged := strings.Cut(name, ":"); tagged {
		if len(version) != 1 || version[0] < '0' || version[0] > '9' {
			return ""
		}
		name = before
	}
	if _, after, found := strings.Cut(name, "anthropic."); found {
		name = after
	}
	return name
}

//go:embed table.json
var table []byte

// listed are the list prices of table.json.
type listed struct {
	Source  string   `json:"source"`
	Version string   `json:"version"`
	Date    string   `json:"date"`
	Models  []*model `json:"models"`

	byName map[string]*model

	mu    sync.Mutex
	found map[string]*model // by names that were looked for, nil if there is none
}

// foundMax limits the names of which is remembered what they stand for.
const foundMax = 1024

func (l *listed) String() string { return fmt.Sprintf("%s %s (%s)", l.Source, l.Version, l.Date) }

// model has prices, the latest one last.
type model struct {
	Match  []string `json:"match"`
	Prices []struct {
		From string `json:"from"` // a day in UTC, "" for always
		Rates
		Above []struct { // for all tokens of a call with more input
			Tokens int64 `json:"tokens"`
			Rates
		} `json:"above"`
		from int64 // Unix ns
	} `json:"prices"`

	patterns    []string
	expressions []expression
}

// expression is a regular expression, and how names begin that fit.
type expression struct {
	prefix string
	*regexp.Regexp
}

func (e expression) matches(name string) bool {
	return strings.HasPrefix(name, e.prefix) && e.MatchString(name)
}

var read = sync.OnceValue(func() *listed {
	l := &listed{byName: map[string]*model{}, found: map[string]*model{}}
	if err := json.Unmarshal(table, l); err != nil {
		panic(err) // a test reads the same
	}
	for _, m := range l.Models {
		for _, match := range m.Match {
			switch text, isExpression := strings.CutPrefix(match, "~^"); {
			case isExpression:
				prefix, _, _ := strings.Cut(text, `\`)
				m.expressions = append(m.expressions, expression{prefix, regexp.MustCompile("^" + text)})
			case strings.Contains(match, "*"):
				m.patterns = append(m.patterns, match)
			case l.byName[match] == nil:
				l.byName[match] = m
			}
		}
		for i := range m.Prices {
			p := &m.Prices[i]
			if from, err := time.Parse(time.DateOnly, p.From); err == nil {
				p.from = from.UnixNano()
			}
		}
	}
	return l
})

// find returns the model of that name, nil if there is none.
func (l *listed) find(name string) *model {
	if m := l.byName[name]; m != nil || name == "" {
		return m
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	m, ok := l.found[name]
	if !ok {
		if m = l.search(name); len(l.found) >= foundMax {
			clear(l.found)
		}
		l.found[strings.Clone(name)] = m
	}
	return m
}

// search returns the first model of which a pattern fits the name, nil if there is none.
func (l *listed) search(name string) *model {
	for _, m := range l.Models {
		if slices.ContainsFunc(m.patterns, func(p string) bool { return Matches(p, name) }) ||
			slices.ContainsFunc(m.expressions, func(e expression) bool { return e.matches(name) }) {
			return m
		}
	}
	return nil
}

// rates returns the prices of a call with that many tokens of input at that time.
func (m *model) rates(at, input int64) *Rates {
	p := &m.Prices[0]
	for i := range m.Prices {
		if m.Prices[i].from <= at {
			p = &m.Prices[i]
		}
	}
	rates := &p.Rates
	for i := range p.Above {
		if input > p.Above[i].Tokens {
			rates = &p.Above[i].Rates
		}
	}
	return rates
}

// Matches reports whether a pattern, in which * stands for any text, fits a name.
func Matches(pattern, name string) bool {
	first, rest, wild := strings.Cut(pattern, "*")
	if !wild {
		return pattern == name
	}
	name, ok := strings.CutPrefix(name, first)
	if !ok {
		return false
	}
	for {
		part, next, more := strings.Cut(rest, "*")
		if !more {
			return strings.HasSuffix(name, part)
		}
		_, after, found := strings.Cut(name, part)
		if !found {
			return false
		}
		name, rest = after, next
	}
}
