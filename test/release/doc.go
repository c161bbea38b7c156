// Package release tests what a release is made of: install.sh against releases of a local server, the workflows, and what
// make dist has made. It installs the Debian package, runs what its unit runs, and removes it again. DIST names the folder.
package release
