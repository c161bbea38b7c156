package passthrough

import "syscall"

// attributes let the child end with us even if we are killed: a client that
// kills its server does not expect it to live on.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
