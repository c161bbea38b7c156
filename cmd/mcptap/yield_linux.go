package main

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// niceness of a thread that looks at what passed.
const niceness = 10

// yield lets the thread of the calling goroutine, which keeps it, come after
// the client, the server and the threads that pass bytes on.
func yield() {
	runtime.LockOSThread()
	_ = unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), niceness) // else it is as it was
}
