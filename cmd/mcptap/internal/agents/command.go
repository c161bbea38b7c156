package agents

import (
	"fmt"
	"path/filepath"
	"strings"
)

// shell is a program that agents run the commands of hooks with.
type shell int

const (
	posix      shell = iota // sh, also Git's bash on Windows
	powerShell              // PowerShell
	native                  // sh, on Windows PowerShell or cmd, as the agent's version likes
)

// runtimeVariables change how a Go program starts: one that Go cannot read ends it with
// exit code 2, by which agents block what they were about to do.
const runtimeVariables = "GOMEMLIMIT GOGC GODEBUG GOTRACEBACK GOMAXPROCS GOCOVERDIR"

// guardPOSIX runs the program in its arguments. Whatever becomes of the program, it ends
// with exit code 0 and prints nothing; an exit code that is not 0 goes into the file $0. It
// stands in single quotes, so that it means the same to every shell that runs sh; sh takes
// the place of that shell, which would end by a signal.
const guardPOSIX = `trap "exit 0" 0 1 2 3 15;exec >/dev/null 2>&1;unset ` + runtimeVariables + `;umask 77;"$@"||echo $?>"$0";exit 0`

// guardPowerShell does that in PowerShell. %s are the program with its arguments, and the
// file twice.
const guardPowerShell = `Remove-Item %s -ErrorAction Ignore; ` +
	`try { %s *>$null; if ($LASTEXITCODE) { Set-Content %s $LASTEXITCODE } } catch { try { Set-Content %[3]s 127 } catch {} }; exit 0`

// hook returns the command of a hook for a shell. It never fails, except that on Windows
// cmd passes on the exit code of a program that cannot start. more are further arguments, of
// plain characters.
func (t Target) hook(m Machine, agent string, s shell, more ...string) string {
	slashes := func(path string) string { return path }
	if m.OS == "windows" {
		slashes = func(path string) string { return strings.ReplaceAll(path, `\`, "/") }
	}
	switch {
	case s == powerShell:
		variables := "Env:" + strings.ReplaceAll(runtimeVariables, " ", ",Env:")
		command := t.command("& "+quotePowerShell(t.Program), agent, quotePowerShell, more)
		return fmt.Sprintf(guardPowerShell, variables, command, quotePowerShell(t.failed(agent)))
	case m.OS == "windows" && s == native:
		return t.command(quoteParts(t.Program), agent, quoteBoth, more) + " ; exit 0" // which cmd takes for arguments
	}
	return "exec /bin/sh -c '" + guardPOSIX + "' " + quotePOSIX(slashes(t.failed(agent))) + " " +
		t.command(quotePOSIX(slashes(t.Program)), agent, quotePOSIX, more)
}

// failed is the file for the exit code of a hook that failed.
func (t Target) failed(agent string) string { return FailedHook(t.State, agent) }

// FailedHook is the file in a folder of state that has the exit code of an agent's last
// hook, if it failed.
func FailedHook(state, agent string) string { return filepath.Join(state, agent+".hook-failed") }

// command runs the program as a hook of an agent.
func (t Target) command(program, agent string, quote func(string) string, more []string) string {
	command := strings.Join(append([]string{program, "hook", agent}, more...), " ")
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
