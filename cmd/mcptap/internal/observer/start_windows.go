package observer

import (
	"strconv"

	"golang.org/x/sys/windows"
)

func bootID() string { return "" }

// startOf is when a process started, "" if that is not known.
func startOf(pid int) string {
	handle, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid)) //nolint:gosec // a process id
	if err != nil {
		return ""
	}
	defer windows.CloseHandle(handle) //nolint:errcheck // nothing to be done
	var created, exited, kernel, user windows.Filetime
	if windows.GetProcessTimes(handle, &created, &exited, &kernel, &user) != nil {
		return ""
	}
	return strconv.FormatInt(created.Nanoseconds(), 10)
}
