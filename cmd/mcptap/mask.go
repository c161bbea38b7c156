package main

import (
	"regexp"
	"sync"

	"github.com/aymanbagabas/go-udiff"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/settings"
	secrets "github.com/otelcol-mcp/otelcol-mcp/internal/mask"
)

// secretName is part of a name that says that nobody is to see the value.
const secretName = `(?:key|token|secret|pass|pwd|auth|credential|cookie|headers)`

// mask replaces a secret in printed text.
const mask = settings.Hidden

// rule replaces what it finds; $1 stays.
type rule struct {
	find *regexp.Regexp
	with string
}

// rules are made when they are needed first: a hook must not wait for them.
var rules = sync.OnceValue(func() []rule {
	return []rule{
		// A member of JSON or TOML with such a name.
		{regexp.MustCompile(`(?i)([\w.-]*` + secretName + `[\w.-]*["']?[ \t]*[:=][ \t]*)(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*')`), `$1"` + mask + `"`},
		// An argument behind a flag with such a name, and one that is joined to it.
		{regexp.MustCompile(`(?i)(["']--?[\w-]*` + secretName + `[\w-]*["'][ \t]*,\s*)(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*')`), `$1"` + mask + `"`},
		{regexp.MustCompile(`(?i)((?:--?|[?&]|\b)[\w-]*` + secretName + `[\w-]*=)[^\s"'&\\]+`), "${1}" + mask},
		// A user name and a password in a URL.
		{regexp.MustCompile(`://[^/\s"'@]+@`), "://" + mask + "@"},
		// A header in one text.
		{regexp.MustCompile(`(?i)\b(bearer|basic|token)[ \t]+[a-z0-9._~+/=-]{8,}`), "$1 " + mask},
		{regexp.MustCompile(`(?i)((?:x-)?(?:[a-z]+-)*(?:` + secretName + `)[ \t]*:[ \t]*)[^\s"'\\*{][^"'\\\n]*`), "${1}" + mask},
	}
})

// issued replaces what looks like a credential whatever its name.
var issued = sync.OnceValue(func() *secrets.Masker {
	m, err := secrets.New(secrets.Options{})
	if err != nil {
		panic(err)
	}
	return m
})

// masked is text of settings as it may be printed.
func masked(text string) string {
	for _, r := range rules() {
		text = r.find.ReplaceAllString(text, r.with)
	}
	return issued().Text(text, nil)
}

// unified is the difference of two versions of a file as it may be printed.
func unified(path string, from, to []byte) string {
	shown := func(text []byte) string { return masked(string(settings.Redact(path, text))) }
	return udiff.Unified(path, path, shown(from), shown(to))
}
