//go:build unix

package passthrough

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// passed are the signals that a client or a user may send to a server.
var passed = []os.Signal{
	syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2,
}

// catch lets signals come to us instead of ending us. What we were started with
// as ignored stays so, for the child too. A broken pipe is an error of write
// here and its usual self in the child, which inherits what is ignored, not
// what is caught.
func catch(to chan<- os.Signal) {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	for _, s := range passed {
		if !signal.Ignored(s) {
			signal.Notify(to, s)
		}
	}
}

// passes reports whether the child has not got the signal already: a terminal
// sends those of its keys to all programs in its foreground.
func passes(s os.Signal) bool {
	return s != syscall.SIGINT && s != syscall.SIGQUIT || !inForeground()
}

func inForeground() bool {
	tty, err := os.Open("/dev/tty")
	if err != nil {
		return false
	}
	defer tty.Close()
	group, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// exitCode is a shell's for how the program ended.
func exitCode(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return state.ExitCode()
}
