package settings

import (
	"errors"
	"fmt"

	"github.com/pelletier/go-toml/v2"
)

// SyntaxError reports a file that cannot be read, and where its reader gave up:
// the mistake is there or before. Lines and columns count from 1, columns in bytes.
type SyntaxError struct {
	Path         string // of the file, which the message leaves out
	Format       string // JSON or TOML
	Line, Column int    // 0 if they are not known
	Reason       error
}

// Error names the position, the format and the reason.
func (e *SyntaxError) Error() string {
	at := ""
	if e.Line > 0 {
		at = fmt.Sprintf("line %d, column %d: ", e.Line, e.Column)
	}
	return fmt.Sprintf("%snot valid %s: %v", at, e.Format, e.Reason)
}

// Unwrap is the reason.
func (e *SyntaxError) Unwrap() error { return e.Reason }

// jsonError takes the position from the text: hujson has it nowhere else.
func jsonError(err error) error {
	e := &SyntaxError{Format: formatJSON, Reason: err}
	if _, scan := fmt.Sscanf(err.Error(), "hujson: line %d, column %d:", &e.Line, &e.Column); scan != nil {
		return e
	}
	if reason := errors.Unwrap(err); reason != nil {
		e.Reason = reason
	}
	return e
}

func tomlError(err error) error {
	e := &SyntaxError{Format: formatTOML, Reason: err}
	if at, ok := errors.AsType[*toml.DecodeError](err); ok {
		e.Line, e.Column = at.Position()
	}
	return e
}
