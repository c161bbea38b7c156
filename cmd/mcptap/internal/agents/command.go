package agents

import "strings"

// shell is what an agent gives the command of a hook to.
type shell int

const (
	posix      shell = iota // sh, also Git's bash on Windows
	powerShell              // PowerShell
	native                  // sh, on Windows cmd
)

// hook is the command of a hook for a shell.
func (t Target) hook(m Machine, agent string, s shell) string {
	quote := quotePOSIX
	program := t.Program
	switch {
	case s == powerShell:
		quote = quotePowerShell
	case m.OS == "windows" && s == native:
		quote = quoteCmd
	case m.OS == "windows":
		program = strings.ReplaceAll(program, `\`, "/")
	}
	command := quote(program) + " hook " + agent
	if s == powerShell {
		command = "& " + command
	}
	if t.Endpoint != DefaultEndpoint {
		command += " --endpoint " + quote(t.Endpoint)
	}
	if t.OTLP != DefaultOTLP {
		command += " --otlp-endpoint " + quote(t.OTLP)
	}
	return command
}

// plain are characters that mean nothing to any shell.
func plain(text string) bool {
	for _, r := range text {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("/._-:", r) {
			return false
		}
	}
	return text != ""
}

func quotePOSIX(text string) string {
	if plain(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

func quotePowerShell(text string) string {
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}

// quoteCmd needs no escape: a path on Windows holds no quote, nor does a URL.
func quoteCmd(text string) string {
	if plain(strings.ReplaceAll(text, `\`, "/")) {
		return text
	}
	return `"` + text + `"`
}
