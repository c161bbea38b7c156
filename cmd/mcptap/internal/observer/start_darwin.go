package observer

import (
	"fmt"

	"golang.org/x/sys/unix"
)

func bootID() string { return "" }

// startOf is when a process started, "" if that is not known.
func startOf(pid int) string {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.Proc.P_starttime.Sec, info.Proc.P_starttime.Usec)
}
