// Package release tests what make dist has made: it installs the Debian package,
// runs what its unit runs, and removes it again. DIST names the folder.
package release
