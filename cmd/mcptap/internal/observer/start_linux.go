package observer

import (
	"bytes"
	"fmt"
	"os"
)

// bootID makes the start time unique, which counts from the boot on.
func bootID() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return string(bytes.TrimSpace(id))
}

// startOf is when a process started, as its stat says (proc_pid_stat(5), field
// 22); "" if that cannot be read. The name before may hold anything.
func startOf(pid int) string {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, after, _ := bytes.Cut(stat[bytes.LastIndexByte(stat, ')')+1:], []byte(" "))
	if fields := bytes.Fields(after); len(fields) > 19 {
		return string(fields[19])
	}
	return ""
}
