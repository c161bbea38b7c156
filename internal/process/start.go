//go:build !windows

package process

// Start returns the start time of a process in the system's own form, "" if unknown.
func Start(pid int) string {
	p, _ := look(pid)
	return p.start
}
