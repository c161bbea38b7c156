package main

import (
	"io"
	"os"
	"os/exec"
)

const serverEnv = "BENCH_TAP_SERVER"

// bare is the least that a program between two others does.
func bare(server string) int {
	cmd := exec.Command(server, "server") //nolint:gosec // ourselves
	in, err := cmd.StdinPipe()
	if err != nil {
		return 1
	}
	out, err := cmd.StdoutPipe()
	if err != nil || cmd.Start() != nil {
		return 1
	}
	go func() {
		_, _ = io.Copy(in, os.Stdin)
		_ = in.Close()
	}()
	if _, err := io.Copy(os.Stdout, out); err != nil || cmd.Wait() != nil {
		return 1
	}
	return 0
}
