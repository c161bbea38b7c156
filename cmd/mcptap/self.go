package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

const (
	tapName       = "mcptap"
	collectorName = "otelcol-mcp"
)

// commandName returns the command that runs this program: its name if it is in the
// search path, else as it was run now.
func commandName() string {
	if _, err := exec.LookPath(tapName); err != nil && strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe") == tapName {
		return os.Args[0]
	}
	return tapName
}

// collectorCommand starts the collector: the one beside this program, if there is
// one.
func collectorCommand() string {
	const run = " --config embedded:default"
	beside := besideSelf()
	if beside == "" {
		return collectorName + run
	}
	if strings.ContainsAny(beside, " \t") {
		beside = `"` + beside + `"`
	}
	return beside + run
}

// besideSelf is the path of the collector in the folder of this program, "" if it is not
// there.
func besideSelf() string {
	name := collectorName
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	self, err := os.Executable()
	if err != nil {
		return ""
	}
	beside := filepath.Join(filepath.Dir(self), name)
	if _, err := os.Stat(beside); err != nil {
		return ""
	}
	return beside
}
