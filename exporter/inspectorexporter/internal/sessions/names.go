package sessions

import (
	"regexp"
	"strings"
)

// Ids that name a file as they are: not with a hyphen at the front, which programs
// take for an option, and none that Windows takes for a device, whatever is behind
// it.
var (
	plainID = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_-]{0,127}$`)
	device  = regexp.MustCompile(`^(con|prn|aux|nul|com\d|lpt\d)$`)
)

// plain reports whether a session's own id can be part of a URL and a file's name.
func plain(own string) bool {
	return plainID.MatchString(own) && !device.MatchString(strings.ToLower(own))
}
