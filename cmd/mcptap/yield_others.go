//go:build !linux

package main

// yield is for systems where a thread has a priority of its own.
func yield() {}
