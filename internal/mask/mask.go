// Package mask replaces secrets in text by [masked: rule], where rule names what was recognized. It knows credentials by
// their shape, by the name of their member, variable, header or flag, and by their place in a URL, in plain text, in JSON,
// in JSON inside strings of JSON, and in base64 of these. Valid JSON stays valid, and masking again changes nothing.
package mask

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

const (
	begin = "[masked: "
	end   = "]"
)

// For returns what replaces a secret that the rule found.
func For(rule string) string { return begin + rule + end }

// Rules of values that are recognized by a name or a place.
const (
	RuleSecret        = "secret-value"
	RuleAuthorization = "authorization"
	RuleCookie        = "cookie"
	RuleURL           = "url-password"
	RuleLogin         = "login"
	RuleKey           = "configured-key"
	RulePrivateKey    = "private-key"
	ruleDiscord       = "discord-token"
)

// Counts are numbers of replaced secrets by rule.
type Counts map[string]int

func (c Counts) add(rule string) {
	if c != nil {
		c[rule]++
	}
}

// Options change the rules that are in the package.
type Options struct {
	// Rules are additional patterns (RE2) by name. All that a pattern matches is replaced.
	Rules map[string]string
	// Disable names rules that are off.
	Disable []string
	// Keys are names of attributes and members whose whole value is replaced, whatever their case.
	Keys []string
}

// A Masker replaces secrets. It is safe for concurrent use.
type Masker struct {
	scan     *automaton
	disabled map[string]bool
	keys     map[string]bool
	own      []ownRule
}

type ownRule struct {
	name    string
	pattern *regexp.Regexp
}

// A span is a part of a text to replace. A number in JSON gets quotes.
type span struct {
	from, to int
	rule     string
	quote    string
}

// A matcher looks for a secret where a keyword is at text[from:to], and not before floor.
type matcher func(m *Masker, text string, floor, from, to int) (span, bool)

// isRuleName reports whether a name has small letters, digits and hyphens only, and at most 64.
func isRuleName(name string) bool {
	return name != "" && len(name) <= 64 && name[0] != '-' && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// Names returns the names of the rules in the package, sorted.
func Names() []string {
	all := []string{RuleSecret, RuleAuthorization, RuleCookie, RuleURL, RuleLogin, RuleKey, RulePrivateKey, ruleDiscord}
	for i := range shapes {
		all = append(all, shapes[i].name)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// New returns a masker, or an error that names each rule that is wrong.
func New(o Options) (*Masker, error) {
	m := &Masker{disabled: map[string]bool{}, keys: map[string]bool{}}
	var errs []error
	for i, name := range o.Disable {
		if !slices.Contains(Names(), name) {
			errs = append(errs, fmt.Errorf("disable::%d: %q is no rule", i, name))
		}
		m.disabled[name] = true
	}
	for i, key := range o.Keys {
		if key == "" {
			errs = append(errs, fmt.Errorf("keys::%d: must not be empty", i))
		}
		m.keys[strings.ToLower(key)] = true
	}
	for _, name := range slices.Sorted(maps.Keys(o.Rules)) {
		pattern, err := regexp.Compile(o.Rules[name])
		switch {
		case !isRuleName(name):
			errs = append(errs, fmt.Errorf("rules::%s: a name has small letters, digits and hyphens only", name))
		case slices.Contains(Names(), name):
			errs = append(errs, fmt.Errorf("rules::%s: is the name of a built-in rule", name))
		case err != nil:
			errs = append(errs, fmt.Errorf("rules::%s: %w", name, err))
		case pattern.MatchString("") || pattern.MatchString(For(name)):
			errs = append(errs, fmt.Errorf("rules::%s: must match neither an empty text nor %q", name, For(name)))
		default:
			m.own = append(m.own, ownRule{name, pattern})
		}
	}
	m.scan = builtIn()
	if len(m.keys) > 0 {
		entries := builtInEntries()
		for key := range m.keys {
			entries = add(entries, key, false, named)
		}
		m.scan = newAutomaton(entries)
	}
	return m, errors.Join(errs...)
}

// builtIn is the automaton of the rules of this package. It is made once, when it is needed first.
var builtIn = sync.OnceValue(func() *automaton { return newAutomaton(builtInEntries()) })

func builtInEntries() []*entry {
	var entries []*entry
	entries = add(entries, begin, true, nil)
	for i := range shapes {
		entries = add(entries, shapes[i].keyword, true, shapes[i].matcher())
	}
	for _, word := range nameKeywords {
		entries = add(entries, word, false, named)
	}
	entries = add(entries, "://", true, userInfo)
	for _, scheme := range []string{"bearer ", "basic ", "token ", "bot "} {
		entries = add(entries, scheme, false, schemed)
	}
	entries = add(entries, "-----BEGIN ", true, privateKey)
	entries = add(entries, "login ", false, netrc)
	entries = add(entries, "-u ", true, userFlag)
	return add(entries, "--user ", true, userFlag)
}

// Text returns text without secrets, and counts them.
func (m *Masker) Text(text string, counts Counts) string {
	out := m.mask(text, counts, 0)
	if len(out) == len(text) && out == text {
		return text
	}
	// A pattern of the configuration may have matched quotes.
	if isJSON(text) && !json.Valid([]byte(out)) {
		return `"` + For(firstRule(out)) + `"`
	}
	return out
}

func isJSON(text string) bool {
	trimmed := strings.TrimLeft(text, " \t\r\n")
	return trimmed != "" && strings.IndexByte(`{["`, trimmed[0]) >= 0 && json.Valid([]byte(text))
}

func firstRule(out string) string {
	_, rest, _ := strings.Cut(out, begin)
	rule, _, _ := strings.Cut(rest, end)
	return rule
}

// maxDepth limits how often base64 within base64 is looked into.
const maxDepth = 2

// maxTurns is more than any text that is not made to be slow needs.
const maxTurns = 16

// mask repeats all rules until nothing is found, so that what a replacement reveals is seen now and not the next time.
func (m *Masker) mask(text string, counts Counts, depth int) string {
	for range maxTurns {
		out := m.pass(text, counts)
		if depth < maxDepth {
			out = m.encoded(out, counts, depth)
		}
		out = m.configured(out, counts)
		if out == text {
			return out
		}
		text = out
	}
	return text
}

// pass applies all rules that have keywords.
func (m *Masker) pass(text string, counts Counts) string {
	var out []byte
	done, floor := 0, 0 // text before done is in out; matches begin at floor or behind
	a, state := m.scan, uint32(0)
	for i := 0; i < len(text); i++ {
		state = a.next[state&^hit|uint32(a.class[text[i]])]
		if state&hit == 0 {
			continue
		}
		found, skip := m.at(text, floor, i+1, a.ends[(state&^hit)>>classBits])
		switch {
		case skip > 0:
			floor, i, state = skip, skip-1, 0
		case found.to > 0:
			counts.add(found.rule)
			out = append(append(out, text[done:found.from]...), found.quote...)
			out = append(append(append(out, begin...), found.rule...), end...)
			out = append(out, found.quote...)
			done, floor = found.to, found.to
			i, state = found.to-1, 0
		}
	}
	if done == 0 && out == nil {
		return text
	}
	return string(append(out, text[done:]...))
}

// at tries what belongs to the keywords that end before to. It returns a secret, or the end of a replacement to skip.
func (m *Masker) at(text string, floor, to int, ends []*entry) (span, int) {
	for _, e := range ends {
		from := to - len(e.keyword)
		if from < floor || e.exact && text[from:to] != e.keyword {
			continue
		}
		if e.keyword == begin {
			if length := strings.IndexByte(text[to:min(len(text), to+65)], ']'); length > 0 && isRuleName(text[to:to+length]) {
				return span{}, to + length + 1
			}
			continue
		}
		for _, try := range e.try {
			if s, ok := try(m, text, floor, from, to); ok && s.from >= floor && s.to > s.from && !m.disabled[s.rule] && !inEscape(text, s.from) {
				return s, 0
			}
		}
	}
	return span{}, 0
}

// configured applies the patterns of the configuration to the text between replacements.
func (m *Masker) configured(text string, counts Counts) string {
	for _, rule := range m.own {
		for from := 0; from < len(text); {
			at := rule.pattern.FindStringIndex(text[from:])
			if at == nil {
				break
			}
			start, stop := from+at[0], from+at[1]
			if stop == start {
				from = stop + 1
				continue
			}
			if open := strings.LastIndex(text[:stop], begin); open >= 0 {
				if length := strings.Index(text[open:], end); length >= 0 && open+length+1 > start {
					// A replacement is in it: what comes before it goes, what comes behind is looked at next.
					after := open + length + 1
					if start >= open || strings.TrimSpace(text[start:open]) == "" {
						from = after
						continue
					}
					stop = open
				}
			}
			counts.add(rule.name)
			text = text[:start] + For(rule.name) + text[stop:]
			from = start + len(For(rule.name))
		}
	}
	return text
}

// Member returns what replaces the value of an attribute or a member, and whether its name makes it a secret.
func (m *Masker) Member(key, value string, counts Counts) (string, bool) {
	rule := ""
	switch kind := kindOf(key); {
	case m.keys[strings.ToLower(key)]:
		rule = RuleKey
	case kind != noSecret && quotedSecret(kind, key, value):
		rule = ruleFor(kind, key)
	}
	if rule == "" || m.disabled[rule] || isReplacement(value) {
		return value, false
	}
	counts.add(rule)
	return For(rule), true
}

// Keyed reports whether the whole value of an attribute or member of that name is replaced, whatever its type.
func (m *Masker) Keyed(key string) bool { return m.keys[strings.ToLower(key)] && !m.disabled[RuleKey] }

// Numeric reports whether the name of an attribute or member makes a number a secret: passcode, not token.
func (m *Masker) Numeric(key string) bool {
	return key != "" && !m.disabled[RuleSecret] && kindOf(key) == password
}

func isReplacement(value string) bool {
	name, ok := strings.CutPrefix(value, begin)
	name, closed := strings.CutSuffix(name, end)
	return ok && closed && isRuleName(name)
}
