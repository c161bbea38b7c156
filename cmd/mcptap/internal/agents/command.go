package agents

import "strings"

// shell is what an agent gives the command of a hook to.
type shell int

const (
	posix      shell = iota // sh, also Git's bash on Windows
	powerShell              // PowerShell
	native                  // sh, on Windows PowerShell or cmd, as the agent's version likes
)

// hook is the command of a hook for a shell.
func (t Target) hook(m Machine, agent string, s shell) string {
	quote, program := quotePOSIX, quotePOSIX(t.Program)
	switch {
	case s == powerShell:
		quote, program = quotePowerShell, "& "+quotePowerShell(t.Program)
	case m.OS == "windows" && s == native:
		quote, program = quoteBoth, quoteParts(t.Program)
	case m.OS == "windows":
		program = quotePOSIX(strings.ReplaceAll(t.Program, `\`, "/"))
	}
	command := program + " hook " + agent
	if t.Endpoint != DefaultEndpoint {
		command += " --endpoint " + quote(t.Endpoint)
	}
	if t.OTLP != DefaultOTLP {
		command += " --otlp-endpoint " + quote(t.OTLP)
	}
	if t.Headers != "" {
		command += " --headers " + quote(t.Headers)
	}
	return command
}

// plain are characters that mean nothing to any shell.
func plain(text string) bool {
	for _, r := range text {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("/._-:~", r) {
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

// quoteBoth is for PowerShell and for cmd. It needs no escape: a path on Windows
// holds no quote, nor does a URL.
func quoteBoth(text string) string {
	if plain(text) {
		return text
	}
	return `"` + text + `"`
}

// quoteParts quotes what has to be of a path that is run. It begins without a quote:
// PowerShell would print what does, and cmd removes a quote there.
func quoteParts(path string) string {
	parts := strings.Split(path, `\`)
	for i := 1; i < len(parts); i++ {
		if parts[i] != "" {
			parts[i] = quoteBoth(parts[i])
		}
	}
	return strings.Join(parts, `\`)
}
