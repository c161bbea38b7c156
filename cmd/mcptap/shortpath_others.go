//go:build !windows

package main

// shortPath is for Windows only.
func shortPath(path string) string { return path }
