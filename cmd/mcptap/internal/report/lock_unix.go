//go:build unix

package report

import (
	"os"

	"golang.org/x/sys/unix"
)

// lock keeps other processes that append to the file from writing in between. A
// file system without locks does without.
func lock(f *os.File) (unlock func()) {
	for unix.Flock(int(f.Fd()), unix.LOCK_EX) == unix.EINTR { //nolint:errorlint // a system call returns it as it is
	}
	return func() { _ = unix.Flock(int(f.Fd()), unix.LOCK_UN) }
}
