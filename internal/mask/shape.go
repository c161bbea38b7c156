package mask

import (
	"encoding/base64"
	"regexp"
	"strings"
	"sync"
)

// window limits how far a pattern looks; what is longer goes on while it is made of the same characters.
const window = 256

// maxPrivateKey is the length of a private key in text.
const maxPrivateKey = 32 << 10

// Patterns are compiled when they are needed first: a program that masks nothing does not wait for them.
var (
	keyBegin = lazy(`\A` + keyHeader)
	keyEnd   = lazy(`\A` + keyFooter)
	discord  = lazy(`\A[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}`)
)

func lazy(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// privateKey looks for a private key in PEM. One that is cut goes as far as there is base64.
func privateKey(_ *Masker, text string, _, from, _ int) (span, bool) {
	at := keyBegin().FindStringIndex(text[from:min(len(text), from+100)])
	if at == nil {
		return span{}, false
	}
	i := from + at[1]
	last, length, prose := i, 0, false
	for limit := min(len(text), from+maxPrivateKey); i < limit; {
		c := text[i]
		if isAlnum(c) || c == '+' || c == '/' || c == '=' {
			i, length = i+1, length+1
			if length >= 8 && !prose {
				last = i
			}
			continue
		}
		prose = prose || length > 0 && length < 8
		length = 0
		switch {
		case strings.HasPrefix(text[i:], "-----"):
			if at := keyEnd().FindStringIndex(text[i:min(len(text), i+100)]); at != nil {
				return span{from: from, to: i + at[1], rule: RulePrivateKey}, true
			}
			limit = i
		case isSpace(c) || strings.IndexByte(":,.-()@", c) >= 0:
			i++
		case c == '\\':
			next := skipEscape(text, i)
			if next == i {
				limit = i
			}
			i = next
		default:
			limit = i
		}
	}
	return span{from: from, to: last, rule: RulePrivateKey}, true
}

// skipEscape returns what follows an escape that JSON has in a key, such as \n or \u002b, or i.
func skipEscape(text string, i int) int {
	j := i
	for j < len(text) && text[j] == '\\' {
		j++
	}
	switch {
	case j == len(text):
		return i
	case strings.IndexByte("nrt/", text[j]) >= 0:
		return j + 1
	case strings.HasPrefix(text[j:], "u00") && j+5 <= len(text) && isHex(text[j+3]) && isHex(text[j+4]):
		return j + 5
	}
	return i
}

// matcher compiles the pattern when its keyword is found first.
func (s *shape) matcher() matcher {
	compiled := lazy(`\A(?:` + s.pattern + `)`)
	return func(_ *Masker, text string, floor, from, to int) (span, bool) {
		switch {
		case s.lead > 0:
			from -= s.lead
		case s.lead == leadDigits:
			for from > floor && isDigit(text[from-1]) {
				from--
			}
		}
		// A keyword that is repeated begins nothing.
		if from < floor || isAlnum(text[from]) && !border(text, from) || strings.HasSuffix(text[:from], s.keyword) {
			return span{}, false
		}
		limit := min(len(text), from+window)
		at := compiled().FindStringIndex(text[from:limit])
		if at == nil {
			return span{}, false
		}
		stop := from + at[1]
		if s.digit && !hasDigit(text[from:stop]) {
			return span{}, false
		}
		if stop == limit {
			for stop < len(text) && (isWord(text[stop]) || strings.IndexByte("-.+/=", text[stop]) >= 0) {
				stop++
			}
		}
		if stop < len(text) && isAlnum(text[stop]) {
			return span{}, false
		}
		return span{from: from, to: max(stop, to), rule: s.name}, true
	}
}

// border reports whether a word can begin at i.
func border(text string, i int) bool {
	if i == 0 || !isAlnum(text[i-1]) {
		return true
	}
	return afterEscape(text, i)
}

// afterEscape reports whether an escape of JSON, such as \n or \u000a, ends before i.
func afterEscape(text string, i int) bool {
	if i >= 2 && text[i-2] == '\\' && strings.IndexByte("nrtbf", text[i-1]) >= 0 {
		return true
	}
	return i >= 6 && text[i-6] == '\\' && text[i-5] == 'u' && isHex(text[i-4]) && isHex(text[i-3]) && isHex(text[i-2]) && isHex(text[i-1])
}

// inEscape reports whether i is inside an escape of JSON.
func inEscape(text string, i int) bool {
	if backslashes(text, i)%2 == 1 {
		return true
	}
	for back := 1; back <= 4 && i-back-1 >= 0; back++ {
		if text[i-back] == 'u' && backslashes(text, i-back)%2 == 1 {
			return true
		}
		if !isHex(text[i-back]) {
			return false
		}
	}
	return false
}

// behindEscape returns i, or the end of an escape of JSON with its backslash before i: the n of \n is not part of a word.
func behindEscape(text string, i int) int {
	switch {
	case i == 0 || i >= len(text) || text[i-1] != '\\':
	case afterEscape(text, i+1):
		return i + 1
	case afterEscape(text, min(i+5, len(text))):
		return i + 5
	case backslashes(text, i)%2 == 1:
		return i + 1
	}
	return i
}

// backslashes returns how many backslashes end before i.
func backslashes(text string, i int) int {
	n := 0
	for n < i && text[i-n-1] == '\\' {
		n++
	}
	return n
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
func isAlpha(c byte) bool { return lower(c) >= 'a' && lower(c) <= 'z' }
func isAlnum(c byte) bool { return isDigit(c) || isAlpha(c) }
func isWord(c byte) bool  { return isAlnum(c) || c == '_' }
func isHex(c byte) bool   { return isDigit(c) || lower(c) >= 'a' && lower(c) <= 'f' }
func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// runLength is the shortest base64 that is looked into.
const runLength = 24

var (
	inRun = func() (t [256]bool) {
		for c := range 256 {
			t[c] = isWord(byte(c)) || c == '+' || c == '/' || c == '-'
		}
		return t
	}()
	toStandard = strings.NewReplacer("-", "+", "_", "/")
)

// encoded replaces base64 with a secret in it by the rule of the first one.
func (m *Masker) encoded(text string, counts Counts, depth int) string {
	var out []byte
	done := 0
	for i := runLength - 1; i < len(text); {
		if !inRun[text[i]] {
			i += runLength
			continue
		}
		from := i
		for from > done && inRun[text[from-1]] {
			from--
		}
		stop := i + 1
		for stop < len(text) && inRun[text[stop]] {
			stop++
		}
		from = behindEscape(text, from)
		if stop-from < runLength {
			i = stop + runLength
			continue
		}
		last, rule := m.run(text, from, stop, depth)
		i = last + runLength
		if rule == "" {
			continue
		}
		counts.add(rule)
		out = append(append(append(append(out, text[done:from]...), begin...), rule...), end...)
		done = last
	}
	if out == nil {
		return text
	}
	return string(append(out, text[done:]...))
}

// run returns where base64 that begins at text[from:stop] ends, and the rule of the first secret in it.
func (m *Masker) run(text string, from, stop, depth int) (last int, rule string) {
	last = stop
	if !printable(text[from : from+runLength]) {
		if at := discord().FindString(text[from:min(len(text), from+120)]); at != "" && !m.disabled[ruleDiscord] {
			return from + len(at), ruleDiscord
		}
		return last, ""
	}
	var encoded strings.Builder
	encoded.WriteString(text[from:stop])
	// Lines of base64 are one text.
	for lines := stop - from; lines >= 60 && lines%4 == 0; {
		next := lineBreak(text, last)
		after := next
		for after < len(text) && inRun[text[after]] {
			after++
		}
		if next == last || after-next < 4 {
			break
		}
		encoded.WriteString(text[next:after])
		last, lines = after, after-next
	}
	plain := toStandard.Replace(encoded.String())
	plain = plain[:len(plain)-len(plain)%4] + padded(plain[len(plain)-len(plain)%4:])
	decoded, err := base64.StdEncoding.DecodeString(plain)
	if err != nil {
		return last, ""
	}
	if masked := m.mask(string(decoded), nil, depth+1); masked != string(decoded) {
		for last < len(text) && text[last] == '=' {
			last++
		}
		return last, firstNew(string(decoded), masked)
	}
	return last, ""
}

// firstNew returns the rule of the first replacement that is not in the original.
func firstNew(original, masked string) string {
	same := 0
	for same < len(original) && same < len(masked) && original[same] == masked[same] {
		same++
	}
	open := strings.LastIndex(masked[:min(len(masked), same+len(begin))], begin)
	if open < 0 {
		return RuleSecret
	}
	return firstRule(masked[open:])
}

func padded(rest string) string {
	if len(rest) < 2 {
		return ""
	}
	return rest + "=="[:4-len(rest)]
}

// lineBreak returns what follows a line break, plain or as an escape of JSON, or i.
func lineBreak(text string, i int) int {
	j := i
	if j < len(text) && text[j] == '\r' {
		j++
	}
	if j < len(text) && text[j] == '\n' {
		return j + 1
	}
	for j < len(text) && text[j] == '\\' {
		j++
	}
	if j > i && j < len(text) && text[j] == 'n' {
		return j + 1
	}
	return i
}

// printable reports whether base64 begins with text.
func printable(encoded string) bool {
	var in [runLength]byte
	for i := range len(encoded) {
		switch c := encoded[i]; c {
		case '-':
			in[i] = '+'
		case '_':
			in[i] = '/'
		default:
			in[i] = c
		}
	}
	var plain [runLength]byte
	n, err := base64.StdEncoding.Decode(plain[:], in[:])
	if err != nil {
		return false
	}
	for _, c := range plain[:n] {
		if (c < ' ' && !isSpace(c)) || c >= 0x7f {
			return false
		}
	}
	return true
}
