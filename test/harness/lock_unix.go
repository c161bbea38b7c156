//go:build unix

package harness

import (
	"os"
	"syscall"
)

const errLocked = syscall.EWOULDBLOCK

func flock(file *os.File, wait bool) error {
	how := syscall.LOCK_EX
	if !wait {
		how |= syscall.LOCK_NB
	}
	return syscall.Flock(int(file.Fd()), how)
}
