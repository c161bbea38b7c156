package main

import (
	"regexp"

	"github.com/aymanbagabas/go-udiff"
)

// secret is a member of JSON or TOML whose name says that nobody is to see it.
var secret = regexp.MustCompile(
	`(?i)([\w.-]*(?:key|token|secret|passw|authorization|credential|cookie|headers)[\w.-]*["']?[ \t]*[:=][ \t]*)` +
		`(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*')`)

// userinfo is a user name and a password in a URL.
var userinfo = regexp.MustCompile(`://[^/\s"'@]+@`)

// masked is text of settings as it may be printed.
func masked(text string) string {
	return userinfo.ReplaceAllString(secret.ReplaceAllString(text, `$1"***"`), "://***@")
}

// unified is the difference of two versions of a file as it may be printed.
func unified(path string, from, to []byte) string {
	return udiff.Unified(path, path, masked(string(from)), masked(string(to)))
}
