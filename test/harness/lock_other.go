//go:build !unix

package harness

import (
	"errors"
	"os"
)

var errLocked = errors.New("the file is locked")

// flock locks nothing: where there is no such lock, run one test package at a
// time (go test -p 1).
func flock(*os.File, bool) error { return nil }
