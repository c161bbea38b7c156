//go:build unix

package report

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lock keeps other processes that append to the file from writing in between. A
// file system without locks does without.
func lock(f *os.File) (unlock func()) {
	for {
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); !errors.Is(err, unix.EINTR) {
			break
		}
	}
	return func() { _ = unix.Flock(int(f.Fd()), unix.LOCK_UN) }
}
