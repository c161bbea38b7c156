//go:build unix

package tracefiles

import (
	"fmt"
	"os"
	"syscall"
)

// idOf distinguishes files by device and inode, which stay when they are renamed.
func idOf(path string, info os.FileInfo) fileID {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return fileID(fmt.Sprintf("%d:%d", stat.Dev, stat.Ino))
	}
	return fileID(path)
}
