// Package fulldisk runs the built collector with its storage on a disk that is
// full, and counts what arrives behind it. It needs Linux, and root to mount one.
package fulldisk
