package mask

import (
	"encoding/base64"
	"strings"
)

// A place is where a value begins behind a name.
type place struct {
	name       string
	start      int // of the name
	value      int
	level      int  // backslashes before the quote that closes the name, or -1
	quote      byte // that closes the name, or 0
	separator  byte // ':' '=' '>' ',' or ' ' behind a flag
	spaced     bool // there is space before the value
	membership bool // the name is a JSON string and the separator a colon
}

func isNameByte(c byte) bool { return isWord(c) || c == '-' || c == '.' }

// named looks for a value behind a name that announces a secret.
func named(m *Masker, text string, floor, from, to int) (span, bool) {
	for to < len(text) && isNameByte(text[to]) {
		if to++; to-from > maxName {
			return span{}, false
		}
	}
	p, ok := separated(text, to)
	if !ok {
		return span{}, false
	}
	start := from
	for start > floor && to-start < maxName && isNameByte(text[start-1]) {
		start--
	}
	start = min(behindEscape(text, start), to)
	p.name, p.start = text[start:to], start
	kind := kindOf(p.name)
	if word := text[:start]; strings.EqualFold(p.name, "token") && strings.HasSuffix(word, " ") {
		word = word[max(0, len(word)-20) : len(word)-1]
		if harmlessTokens[strings.ToLower(word[strings.LastIndexByte(word, ' ')+1:])] {
			return span{}, false // progress token: x
		}
	}
	configured := m.Keyed(p.name)
	if kind == noSecret && !configured {
		return span{}, false
	}
	rule := ruleFor(kind, p.name)
	if configured {
		rule = RuleKey
	}
	switch p.separator {
	case ',':
		return argument(text, &p, kind, rule)
	case ' ':
		// A flag, or SQL: PASSWORD 'x'.
		if !strings.HasPrefix(p.name, "-") && (text[p.value] != '\'' || !strings.EqualFold(p.name, "password")) {
			return span{}, false
		}
	case '>':
		if before := text[:start]; !strings.HasSuffix(before, "<") && !strings.HasSuffix(before, `\u003c`) {
			return span{}, false
		}
	}
	return value(text, &p, kind, rule)
}

// separated reads what is between a name that ends at i and its value.
func separated(text string, i int) (place, bool) {
	p := place{level: -1}
	start := i
	if i < len(text) && (text[i] == '\\' || text[i] == '"' || text[i] == '\'' || text[i] == '`') {
		for i < len(text) && text[i] == '\\' {
			i++
		}
		if i < len(text) && (text[i] == '"' || text[i] == '\'' || text[i] == '`') && isLevel(i-start) {
			p.level, p.quote = i-start, text[i]
			i++
		} else {
			i = start
		}
	}
	if p.quote != 0 && i < len(text) && text[i] == ']' { // config['password'] = …
		i++
	}
	behind := i
	i = skipSpace(text, i)
	if i >= len(text) {
		return p, false
	}
	switch c := text[i]; {
	case c == ':' || c == '=' && (i+1 >= len(text) || text[i+1] != '='):
		p.separator = c
		i++
		if after := greater(text, i); c == '=' && after > i {
			p.separator, i = '=', after
		}
		if c == ':' && i < len(text) && text[i] == '=' || c == '=' && i < len(text) && text[i] == '>' {
			p.separator = '='
			i++
		}
	case c == '>' && i == behind:
		p.separator = c
		i++
	case c == '\\' && i == behind && p.quote == 0 && greater(text, i) > i:
		p.separator = '>'
		i = greater(text, i)
	case i > behind && strings.HasPrefix(text[i:], "value:"):
		p.separator = ':' // - name: TOKEN, and in the next line: value: x
		i += len("value:")
	case c == ',' && p.quote != 0:
		p.separator = c
		i++
	case i > behind && p.quote == 0 && (text[behind] == ' ' || text[behind] == '\t'):
		p.separator = ' '
		p.value, p.spaced = i, true
		return p, true
	default:
		return p, false
	}
	p.membership = p.separator == ':' && p.quote == '"'
	p.value = skipSpace(text, i)
	p.spaced = p.value > i
	return p, p.value < len(text)
}

// greater returns what follows \u003e, the > of JSON, or i.
func greater(text string, i int) int {
	j := i
	for j < len(text) && text[j] == '\\' {
		j++
	}
	if j > i && strings.HasPrefix(text[j:], "u003e") {
		return j + len("u003e")
	}
	return i
}

// isLevel reports whether n backslashes come before a quote in JSON: 0, 1 in a string, 3 in a string of that, and so on.
func isLevel(n int) bool { return n&(n+1) == 0 && n < 64 }

// skipSpace skips space and escapes of space in JSON.
func skipSpace(text string, i int) int {
	for i < len(text) {
		if isSpace(text[i]) {
			i++
			continue
		}
		j := i
		for j < len(text) && text[j] == '\\' {
			j++
		}
		if j == i || j >= len(text) || strings.IndexByte("nrt", text[j]) < 0 {
			return i
		}
		i = j + 1
	}
	return i
}

// opening returns the quote at i, how many backslashes it has, and where its content begins.
func opening(text string, i int) (quote byte, level, content int) {
	j := i
	for j < len(text) && text[j] == '\\' {
		j++
	}
	if j < len(text) && (text[j] == '"' || text[j] == '\'' || text[j] == '`') && isLevel(j-i) {
		return text[j], j - i, j + 1
	}
	return 0, 0, i
}

// closing returns where the content of a string that begins at i ends: at its quote, at that of a string around it, or at the
// end of the text.
func closing(text string, i int, quote byte, level int) (stop int, closed bool) {
	for j := i; j < len(text); j++ {
		switch text[j] {
		case '"':
			run := min(backslashes(text, j), j-i)
			unit := 2 * (level + 1)
			rest := run % unit
			if quote == '"' && rest == unit-1 {
				continue // a quote in the content
			}
			if quote != '"' {
				// The string around it ends, or it is a quote in the content: what is shorter is safe.
				return j - run, false
			}
			tail := 0
			for rest>>tail&1 == 1 {
				tail++
			}
			return j - (1<<tail - 1), rest == level
		case quote:
			run := min(backslashes(text, j), j-i)
			return j - run%2, true
		case '\n':
			if quote == '\'' {
				return j, false
			}
		}
	}
	return len(text), false
}

// value looks at what is at the place.
func value(text string, p *place, kind nameKind, rule string) (span, bool) {
	i := p.value
	if i >= len(text) {
		return span{}, false
	}
	if p.separator == ':' && p.quote != 0 && text[i] == '[' {
		return list(text, skipSpace(text, i+1), p, kind, rule)
	}
	if quote, level, content := opening(text, i); quote != 0 {
		return inQuotes(text, p, kind, rule, quote, level, content)
	}
	if p.membership && (isDigit(text[i]) || text[i] == '-') {
		return number(text, p, kind, rule)
	}
	if p.membership && text[i] != '\\' && p.level >= 0 && strings.IndexByte("{[tfn", text[i]) >= 0 {
		return span{}, false // another value of JSON
	}
	return bare(text, p, kind, rule)
}

// list replaces the strings of an array by one.
func list(text string, i int, p *place, kind nameKind, rule string) (span, bool) {
	found, secret := span{rule: rule}, false
	for i < len(text) {
		quote, level, content := opening(text, i)
		if quote != '"' || level != p.level {
			break
		}
		stop, closed := closing(text, content, quote, level)
		if !closed {
			break
		}
		if found.from == 0 {
			found.from = content
		}
		found.to = stop
		item := text[content:stop]
		secret = secret || item != "" && !isReplacement(item) && (rule == RuleKey || quotedSecret(kind, p.name, item))
		i = skipSpace(text, stop+level+1)
		if i >= len(text) || text[i] != ',' {
			break
		}
		i = skipSpace(text, i+1)
	}
	return found, secret
}

func inQuotes(text string, p *place, kind nameKind, rule string, quote byte, level, content int) (span, bool) {
	certain := p.membership && quote == '"' && p.level == level
	if !certain && (content >= len(text) || strings.IndexByte(" \t\r\n,:;.+&|)}]\\\"'`", text[content]) >= 0) {
		return span{}, false // it ends a string: "token=" + token
	}
	stop, closed := closing(text, content, quote, level)
	if !closed && !certain {
		if line := strings.IndexByte(text[content:stop], '\n'); line >= 0 {
			stop = content + line
		}
	}
	secret := text[content:stop]
	if secret == "" || isReplacement(secret) {
		return span{}, false
	}
	// A member that is cut before its end may be the beginning of anything.
	if cut := certain && !closed && !placeholder(p.name, secret); !cut && rule != RuleKey && !quotedSecret(kind, p.name, secret) {
		return span{}, false
	}
	return span{from: content, to: stop, rule: rule}, true
}

// number replaces a number in JSON by a string.
func number(text string, p *place, kind nameKind, rule string) (span, bool) {
	stop := p.value
	for stop < len(text) && (isDigit(text[stop]) || strings.IndexByte("+-.eE", text[stop]) >= 0) {
		stop++
	}
	if stop < len(text) && (isWord(text[stop]) || text[stop] == '[') || kind != password && rule != RuleKey || stop-p.value < 3 && rule != RuleKey {
		return span{}, false
	}
	return span{from: p.value, to: stop, rule: rule, quote: strings.Repeat(`\`, p.level) + `"`}, true
}

// argument looks at the string behind a string: "--token","x" or {"name":"TOKEN","value":"x"}.
func argument(text string, p *place, kind nameKind, rule string) (span, bool) {
	i, isMember := p.value, false
	quote, level, content := opening(text, i)
	if quote == 0 || quote != p.quote || level != p.level {
		return span{}, false
	}
	if rest, ok := strings.CutPrefix(text[content:], "value"); ok {
		next, found := separated(text, len(text)-len(rest))
		if !found || !next.membership || next.level != p.level {
			return span{}, false
		}
		if quote, level, content = opening(text, next.value); quote != '"' || level != p.level {
			return span{}, false
		}
		isMember = true
	}
	if !isMember && !strings.HasPrefix(p.name, "-") {
		return span{}, false
	}
	stop, closed := closing(text, content, quote, level)
	secret := text[content:stop]
	if !closed || secret == "" || !isMember && secret[0] == '-' || !quotedSecret(kind, p.name, secret) {
		return span{}, false
	}
	return span{from: content, to: stop, rule: rule}, true
}

// stops end a value without quotes.
const stops = " \t\r\n\"'`\\,;<>(){}[]|&"

// bare looks at a value without quotes, in a configuration, a command, a URL, code or prose.
func bare(text string, p *place, kind nameKind, rule string) (span, bool) {
	i := p.value
	if kind == header && p.separator == ':' {
		return headerLine(text, i, p, rule)
	}
	ends := stops
	variable := p.separator == '=' && !p.spaced && p.quote == 0 && upperName(p.name) && i == p.start+len(p.name)+1 &&
		(p.start == 0 || text[p.start-1] != '?' && text[p.start-1] != '&')
	if variable {
		ends = " \t\r\n\"'`\\;"
	} else if p.separator == '>' {
		ends = "<\"\\\n"
	}
	stop := len(text)
	if length := strings.IndexAny(text[i:], ends); length >= 0 {
		stop = i + length
	}
	if mark := strings.Index(text[i:stop], "[masked:"); mark >= 0 {
		stop = i + mark
	}
	secret := strings.TrimRight(text[i:stop], ".:!?")
	if p.separator == '=' && !p.spaced || variable {
		secret = text[i:stop]
	}
	stop = i + len(secret)
	if secret == "" || stop < len(text) && strings.IndexByte("([{<", text[stop]) >= 0 && !variable && p.separator != '>' {
		return span{}, false
	}
	if strings.HasPrefix(text[stop:], "[masked:") || placeholder(p.name, secret) {
		return span{}, false
	}
	ok := rule == RuleKey
	switch {
	case ok:
	case p.separator == '>':
		ok = quotedSecret(kind, p.name, secret)
	case variable:
		ok = len(secret) >= 3 && (kind == password || hasDigit(secret) || len(secret) >= 16)
	default:
		ok = plausible(text, p, kind, secret, stop)
	}
	return span{from: i, to: stop, rule: rule}, ok
}

// plausible reports whether a bare word is a secret rather than code or prose.
func plausible(text string, p *place, kind nameKind, secret string, stop int) bool {
	var digits, letters, symbols, dots int
	for i := range len(secret) {
		switch c := secret[i]; {
		case isDigit(c):
			digits++
		case isAlpha(c) || c >= 0x80:
			letters++
		case c == '.':
			dots++
		case strings.IndexByte("!@#$%^*~?", c) >= 0:
			symbols++
		}
	}
	if strings.IndexByte("!*@&", secret[0]) >= 0 && digits == 0 || secret[0] == '-' && p.separator == ' ' {
		return false
	}
	switch {
	case letters == 0 && symbols == 0:
		// A number: a PIN, but neither a limit nor a position.
		return kind == password && digits == len(secret) && digits >= 4 || digits >= 8 && len(secret) > digits && kind == password
	case digits == 0 && dots > 0 && symbols == 0:
		return false // config.password
	case digits > 0 && isAlpha(secret[0]) && dots > 0 && len(secret) < 24 && kind == credential:
		return false // v1.token
	case digits > 0:
		return len(secret) >= 6 || kind == password && len(secret) >= 4 || p.separator == ' ' || p.separator == '=' && !p.spaced && len(secret) >= 4 || len(secret) >= 3 && p.quote != 0
	case symbols > 0:
		return kind == password && len(secret) >= 6
	}
	// Letters only: a line of a configuration, and no word of code or prose.
	whole := stop == len(text) || lineBreak(text, stop) > stop || text[stop] == '"'
	if kind != password || len(secret) < 6 || !whole || !lineStart(text, p.start) {
		return false
	}
	return secret[0] >= 'a' && secret[0] <= 'z' && (p.separator == ':' || p.separator == '=' && !p.spaced)
}

// lineStart reports whether only space, a list mark or an export comes before i in its line.
func lineStart(text string, i int) bool {
	for _, word := range []string{"export ", "set ", "SET ", "ENV "} {
		if strings.HasSuffix(text[:i], word) {
			i -= len(word)
			break
		}
	}
	for i > 0 && (text[i-1] == ' ' || text[i-1] == '\t' || text[i-1] == '-') {
		i--
	}
	return i == 0 || text[i-1] == '\n' || text[i-1] == '"' || afterEscape(text, i)
}

// maxHeader is the length of a header in text.
const maxHeader = 16 << 10

// headerLine replaces what follows Cookie: up to the end of the line, or the word behind Authorization: and its scheme.
func headerLine(text string, i int, p *place, rule string) (span, bool) {
	rest := text[i:min(len(text), i+maxHeader)]
	first := upTo(rest, " \t,;()\"'`\\\r\n")
	if rule == RuleCookie {
		if !strings.Contains(first, "=") || placeholder(p.name, first) {
			return span{}, false
		}
		line := upTo(rest, "\"'`\\\r\n")
		if mark := strings.Index(line, begin); mark >= 0 {
			line = line[:mark]
		}
		line = strings.TrimRight(line, " \t,;")
		return span{from: i, to: i + len(line), rule: rule}, line != ""
	}
	switch strings.ToLower(first) {
	case "bearer", "basic", "token", "bot", "apikey", "negotiate":
		behind := strings.TrimLeft(rest[len(first):], " \t")
		i += len(rest) - len(behind)
		secret := upTo(behind, " \t,;()\"'`\\\r\n")
		if placeholder(p.name, secret) || len(secret) < 3 || isAlpha(secret[0]) && !hasDigit(secret) && sentenceWords[strings.ToLower(secret)] ||
			strings.HasPrefix(secret, "[masked:") {
			return span{}, false
		}
		return span{from: i, to: i + len(secret), rule: rule}, true
	case "digest", "aws4-hmac-sha256", "hawk", "oauth":
		line := upTo(rest, "\"'`\\\r\n")
		if !strings.Contains(upTo(strings.TrimLeft(line[len(first):], " "), " "), "=") || strings.Contains(line, begin) {
			return span{}, false
		}
		return span{from: i, to: i + len(line), rule: rule}, true
	}
	return span{from: i, to: i + len(first), rule: rule}, !placeholder(p.name, first) && hasDigit(first) && !strings.Contains(first, "[masked:")
}

// upTo returns text up to one of the characters.
func upTo(text, chars string) string {
	if i := strings.IndexAny(text, chars); i >= 0 {
		return text[:i]
	}
	return text
}

// schemed looks for a token behind the scheme of an Authorization header.
func schemed(_ *Masker, text string, _, from, to int) (span, bool) {
	if !border(text, from) {
		return span{}, false
	}
	stop := to
	for stop < len(text) && (isWord(text[stop]) || strings.IndexByte("-.~+/=:", text[stop]) >= 0) {
		stop++
	}
	secret := strings.TrimRight(text[to:stop], ".:")
	stop = to + len(secret)
	s := span{from: to, to: stop, rule: RuleAuthorization}
	if lower(text[from]) == 'b' && lower(text[from+1]) == 'a' {
		plain, err := base64.StdEncoding.DecodeString(secret)
		return s, err == nil && len(plain) >= 3 && strings.Contains(string(plain), ":")
	}
	return s, len(secret) >= 16 && hasDigit(secret) && !strings.Contains(secret, "://")
}

// userInfo looks for a password in a URL.
func userInfo(_ *Masker, text string, floor, from, to int) (span, bool) {
	if from == floor || !isAlnum(text[max(from-1, 0)]) {
		return span{}, false
	}
	limit := min(len(text), to+512)
	at, colon := -1, -1
	for i := to; i < limit; i++ {
		c := text[i]
		if c == '@' {
			at = i
			continue
		}
		if isSpace(c) || strings.IndexByte("/\"'`\\<>?#(){}", c) >= 0 && (c != '?' && c != '#' || at >= 0) {
			break
		}
		if c == ':' && colon < 0 {
			colon = i
		}
	}
	if at < 0 || colon > at {
		return span{}, false
	}
	if colon < 0 {
		// A token instead of a user.
		user := text[to:at]
		return span{from: to, to: at, rule: RuleURL}, len(user) >= 16 && hasDigit(user)
	}
	secret := text[colon+1 : at]
	if secret == "" || placeholder("", secret) && !strings.EqualFold(secret, "password") && !strings.EqualFold(secret, "secret") {
		return span{}, false
	}
	return span{from: colon + 1, to: at, rule: RuleURL}, true
}

// netrc looks for the password in: machine x login y password z.
func netrc(_ *Masker, text string, _, from, to int) (span, bool) {
	words := strings.SplitN(text[to:min(len(text), to+200)], " ", 4)
	if !border(text, from) || len(words) < 3 || words[1] != "password" || strings.HasPrefix(words[2], "[masked:") {
		return span{}, false
	}
	start := to + len(words[0]) + len(" password ")
	stop := len(text)
	if length := strings.IndexAny(text[start:], " \t\r\n\"'\\"); length >= 0 {
		stop = start + length
	}
	return span{from: start, to: stop, rule: RuleLogin}, stop > start && !placeholder("", text[start:stop])
}

// userFlag looks for the password in: curl -u me:password.
func userFlag(_ *Masker, text string, _, from, to int) (span, bool) {
	if from > 0 && !isSpace(text[from-1]) && !afterEscape(text, from) {
		return span{}, false
	}
	if _, _, content := opening(text, to); content > to {
		to = content
	}
	stop := len(text)
	if length := strings.IndexAny(text[to:], " \t\r\n\"'`\\"); length >= 0 {
		stop = to + length
	}
	user, secret, ok := strings.Cut(text[to:stop], ":")
	if !ok || user == "" || len(secret) < 3 || strings.Trim(secret, "0123456789") == "" || placeholder("", secret) || strings.Contains(secret, "[masked") {
		return span{}, false
	}
	return span{from: stop - len(secret), to: stop, rule: RuleLogin}, true
}
