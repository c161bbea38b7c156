// Package process names processes of this machine so that another program there can see
// whether they still run.
package process

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Agent returns the id of the agent that started this process: its nearest ancestor that is no
// shell. It is "" where the system does not tell.
func Agent() string {
	pid := os.Getppid()
	for range generations {
		p, ok := look(pid)
		switch {
		case !ok || pid <= 1:
			return ""
		case !shells[strings.TrimSuffix(strings.ToLower(filepath.Base(p.name)), ".exe")]:
			return name(pid, p.start)
		}
		pid = p.parent
	}
	return ""
}

// generations bounds how far an agent is looked for.
const generations = 8

// shells run hooks for agents.
var shells = map[string]bool{
	"sh": true, "bash": true, "dash": true, "zsh": true, "fish": true, "ash": true, "ksh": true, "busybox": true,
	"cmd": true, "powershell": true, "pwsh": true,
}

// Alive reports whether the process with that id runs on this machine.
func Alive(process string) bool {
	text, _, _ := strings.Cut(process, ".")
	pid, err := strconv.Atoi(text)
	if err != nil || pid <= 1 {
		return false
	}
	p, ok := look(pid)
	return ok && name(pid, p.start) == process
}

// found describes a process that runs.
type found struct {
	parent int
	name   string // of its program
	start  string
}

// ID returns the id of a process, "" if it does not run.
func ID(pid int) string {
	p, ok := look(pid)
	if !ok {
		return ""
	}
	return name(pid, p.start)
}

// name names a process. No two have the same: a number is used again, a start time with it is not.
func name(pid int, start string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s", Boot(), space()))
	return fmt.Sprintf("%d.%s.%s", pid, start, hex.EncodeToString(sum[:4]))
}
