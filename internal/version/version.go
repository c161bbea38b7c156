// Package version names the build of a program: version, commit and date.
package version

import (
	"cmp"
	"runtime/debug"
	"strings"
)

// Set by the linker (see Makefile and .goreleaser.yaml). What is empty, as in a
// build with go install, is what the Go command knows.
var release, commit, date string

// String is the version, the commit and its date, as far as they are known.
func String() string {
	info, _ := debug.ReadBuildInfo()
	return describe(release, commit, date, info)
}

// Stamped reports whether the build knows its version.
func Stamped() bool { return release != "" }

func describe(release, commit, date string, info *debug.BuildInfo) string {
	known := map[string]string{}
	if info != nil {
		known["version"] = info.Main.Version
		for _, s := range info.Settings {
			known[s.Key] = s.Value
		}
	}
	var b strings.Builder
	b.WriteString(cmp.Or(release, known["version"], "(unknown)"))
	if commit = cmp.Or(commit, known["vcs.revision"]); commit != "" {
		b.WriteString(", commit " + commit[:min(len(commit), 12)])
		if known["vcs.modified"] == "true" {
			b.WriteString(" (modified)")
		}
	}
	if date = cmp.Or(date, known["vcs.time"]); date != "" {
		b.WriteString(", " + date)
	}
	return b.String()
}
