package mask

import "strings"

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

// maxName is the longest part of a name that is looked at, from its end.
const maxName = 64

// kindOf returns what the last words of a name announce.
func kindOf(name string) nameKind {
	if len(name) > maxName {
		name = name[len(name)-maxName:]
	}
	var buffer [2 * maxName]byte
	words := splitName(buffer[:0], strings.TrimRight(name, "0123456789_-."))
	// The longest of the last three words, two, and one.
	var starts [4]int
	n, at := 0, len(words)
	for n < len(starts) && at > 0 {
		start := at - 1
		for start > 0 && words[start-1] != '_' {
			start--
		}
		starts[n] = start
		n++
		at = start - 1
	}
	for count := min(n, 3); count > 0; count-- {
		kind := names[string(words[starts[count-1]:])]
		if kind == noSecret {
			continue
		}
		if count < n {
			before := words[starts[count] : starts[count-1]-1]
			if count == 1 && string(words[starts[0]:]) == "token" && harmlessTokens[string(before)] || harmlessKeys[string(before)] {
				return noSecret
			}
		}
		return kind
	}
	return noSecret
}

// splitName appends the words of a name in lower case, with _ between them: dbPassword is db_password, X-API-Key is x_api_key.
func splitName(to []byte, name string) []byte {
	for i := range len(name) {
		c := name[i]
		if !isAlnum(c) {
			if len(to) > 0 && to[len(to)-1] != '_' {
				to = append(to, '_')
			}
			continue
		}
		if c >= 'A' && c <= 'Z' && i > 0 && len(to) > 0 && to[len(to)-1] != '_' {
			before, capital := name[i-1], i+1 < len(name) && name[i+1] >= 'a' && name[i+1] <= 'z'
			if before >= 'a' && before <= 'z' || isDigit(before) || capital {
				to = append(to, '_')
			}
		}
		to = append(to, lower(c))
	}
	return to
}

// ruleFor returns the rule of a secret with that name.
func ruleFor(kind nameKind, name string) string {
	switch {
	case kind != header:
		return RuleSecret
	case strings.Contains(strings.ToLower(name), "cookie"):
		return RuleCookie
	}
	return RuleAuthorization
}

// placeholder reports whether a value stands for a secret, or for its type.
func placeholder(name, value string) bool {
	value = strings.TrimSpace(value)
	if value == "" || isReplacement(value) {
		return true
	}
	if strings.Trim(value, value[:1]) == "" && !isAlnum(value[0]) || strings.Trim(value, "xX*.-_ ") == "" {
		return true
	}
	small := strings.ToLower(value)
	if placeholders[small] || strings.Contains(small, "redacted") || strings.Contains(value, begin) {
		return true
	}
	if strings.HasPrefix(strings.TrimLeft(value, `\`), "u003c") {
		return strings.HasSuffix(value, "u003e")
	}
	switch value[0] {
	case '$':
		return len(value) > 1 && (value[1] == '{' || value[1] == '(' || upperName(value[1:]))
	case '<':
		return strings.HasSuffix(value, ">")
	case '{':
		return strings.HasPrefix(value, "{{") || strings.HasSuffix(value, "}")
	case '%':
		return len(value) == 2 || strings.HasSuffix(value, "%") || strings.HasPrefix(value, "%(")
	}
	for _, prefix := range []string{"your", "my_", "my-", "process.env", "os.environ", "env.", "secrets.", "op://", "vault:", "example"} {
		if strings.HasPrefix(small, prefix) {
			return prefix != "my_" && prefix != "my-" || !hasDigit(value)
		}
	}
	// token: token, accessToken: accessToken.
	var a, b [2 * maxName]byte
	if len(value) < maxName && len(name) < maxName {
		left, right := string(splitName(a[:0], name)), string(splitName(b[:0], value))
		return left == right || strings.HasSuffix(left, "_"+right)
	}
	return false
}

func upperName(text string) bool {
	for i := range len(text) {
		if c := text[i]; !isWord(c) || c >= 'a' && c <= 'z' {
			return false
		}
	}
	return true
}

func hasDigit(text string) bool { return strings.ContainsAny(text, "0123456789") }

// sentence reports whether a value is prose about a secret.
func sentence(value string) bool {
	words := 0
	for word := range strings.FieldsSeq(strings.ToLower(value)) {
		if sentenceWords[strings.Trim(word, ".,:;!?'")] {
			words += 2
		}
		words++
	}
	return words >= 4 && strings.ContainsAny(value, " ") && words > len(strings.Fields(value))
}

// quotedSecret reports whether a value in quotes, or a whole one, is a secret.
func quotedSecret(kind nameKind, name, value string) bool {
	if placeholder(name, value) || sentence(value) {
		return false
	}
	switch kind {
	case credential:
		if strings.ContainsAny(value, " \t\n") {
			return hasDigit(value) && len(value) > 16 && !strings.ContainsAny(value, "(){}")
		}
		// A template or an expression.
		return !strings.Contains(value, "${") && !strings.Contains(value, "{{")
	case header:
		// Attributes of the conventions, http.request.header.authorization, are the header itself; elsewhere it may be a word.
		return strings.ContainsAny(value, " =") || hasDigit(value) || strings.HasPrefix(name, "http.")
	}
	return true
}
