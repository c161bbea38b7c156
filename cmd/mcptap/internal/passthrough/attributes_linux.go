package passthrough

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// attributes let the child end with us even if we are killed: a client that
// kills its server does not expect it to live on.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}

// widen lets a pipe hold more, so that large messages take fewer turns of the
// processes on them. It stays as it is if the user has no room for that.
func widen(pipe uintptr) {
	_, _ = unix.FcntlInt(pipe, unix.F_SETPIPE_SZ, bufferBytes)
}
