package main

import (
	"strings"

	"golang.org/x/sys/windows"
)

// shortPath is a path that needs no quotes, if the volume has one: agents give
// commands to PowerShell, cmd or bash, each with quotes of its own.
func shortPath(path string) string {
	if !strings.Contains(path, " ") {
		return path
	}
	long, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return path
	}
	short := make([]uint16, windows.MAX_LONG_PATH)
	n, err := windows.GetShortPathName(long, &short[0], uint32(len(short)))
	if err != nil || n == 0 || int(n) > len(short) {
		return path
	}
	return windows.UTF16ToString(short[:n])
}
