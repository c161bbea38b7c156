package jsonscan

import (
	"regexp"
	"strings"
)

// Masked stands for a value that must not be recorded.
const Masked = "****"

var secretMember = regexp.MustCompile(`("(?:s|\\u0073)ecret"\s*:\s*)"(?:[^"\\]|\\.)*"`)

// MaskSecrets is JSON with the strings of all members named secret masked, at any
// depth; all else stays as it is.
func MaskSecrets(text string) string {
	if !strings.Contains(text, `ecret"`) {
		return text
	}
	return secretMember.ReplaceAllString(text, `$1"`+Masked+`"`)
}
