package process

import (
	"bytes"
	"fmt"

	"golang.org/x/sys/unix"
)

// Boot is empty: a start time counts from no boot.
func Boot() string { return "" }

func space() string { return "" }

func look(pid int) (found, bool) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || info.Proc.P_stat == zombie {
		return found{}, false
	}
	name, _, _ := bytes.Cut(info.Proc.P_comm[:], []byte{0})
	return found{
		parent: int(info.Eproc.Ppid), name: string(name),
		start: fmt.Sprint(info.Proc.P_starttime.Sec, "-", info.Proc.P_starttime.Usec),
	}, true
}

// zombie is the state of a process that has ended and whose parent has not asked how
// (sys/proc.h, SZOMB).
const zombie = 5
