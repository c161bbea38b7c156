package process

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// Boot makes the start time unique, which counts from the boot on.
func Boot() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return string(bytes.TrimSpace(id))
}

// space is the namespace in which this process sees the numbers of others.
func space() string {
	name, _ := os.Readlink("/proc/self/ns/pid")
	return name
}

func look(pid int) (p found, ok bool) {
	name, fields := stat(pid)
	if len(fields) <= 19 || fields[0][0] == 'Z' || fields[0][0] == 'X' { // it is dead
		return p, false
	}
	p.parent, _ = strconv.Atoi(string(fields[1]))
	p.name, p.start = name, string(fields[19])
	return p, true
}

// stat returns the name and the fields after it. The name may hold anything.
func stat(pid int) (name string, fields [][]byte) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	begin, end := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	if begin < 0 || end < begin {
		return "", nil
	}
	return string(text[begin+1 : end]), bytes.Fields(text[end+1:])
}
