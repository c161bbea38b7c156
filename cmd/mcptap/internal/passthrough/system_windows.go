package passthrough

import (
	"os"
	"os/signal"
)

// catch keeps Ctrl-C from ending us: the console sends it to the child as well.
func catch(to chan<- os.Signal) { signal.Notify(to, os.Interrupt) }

func passes(os.Signal) bool { return false }

func exitCode(state *os.ProcessState) int { return state.ExitCode() }
