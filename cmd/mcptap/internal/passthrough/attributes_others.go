//go:build !linux

package passthrough

import "syscall"

// attributes are the usual ones: when we are killed the child's input ends.
func attributes() *syscall.SysProcAttr { return nil }

// widen is for systems where a pipe's size can be chosen.
func widen(uintptr) {}
