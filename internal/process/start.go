//go:build !windows

package process

// Start is when a process started, "" if that is not known.
func Start(pid int) string {
	p, _ := look(pid)
	return p.start
}
