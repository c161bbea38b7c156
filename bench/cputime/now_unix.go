//go:build unix

package cputime

import (
	"time"

	"golang.org/x/sys/unix"
)

// now is the time that all threads of the process have run.
func now() (time.Duration, bool) {
	var t unix.Timespec
	err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t)
	return time.Duration(t.Nano()), err == nil
}
