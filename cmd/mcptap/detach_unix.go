//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// detach lets a process outlive this one, and signals to its group.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
