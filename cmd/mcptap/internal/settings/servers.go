package settings

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Wrapper describes the command that starts a server through mcptap.
type Wrapper struct {
	Program string   // path of mcptap
	Flags   []string // for all servers, before those of each
}

// ErrNoServers reports that a file belongs to no client known.
var ErrNoServers = errors.New("no servers in it: expected mcpServers, servers, mcp, context_servers or agent_servers, in TOML mcp_servers")

// format is a syntax of configuration files.
type format interface {
	// rewrite returns the file with each server changed that change accepts, and
	// the names of those servers.
	rewrite(file []byte, change func(server) (bool, error)) (changed []byte, names []string, err error)
	// same reports whether two files mean the same, whatever their layout.
	same(a, b []byte) bool
}

// server is one that a client starts as a program.
type server interface {
	name() string
	acp() bool
	// argv is the command with its arguments; "" stands for what is not a string.
	argv() ([]string, error)
	// replace makes program the command, and puts the former one behind these
	// arguments, before its own.
	replace(program string, arguments []string)
	// restore makes the argument at this index of argv the command, and removes
	// those before it.
	restore(index int)
}

func formatOf(path string) format {
	if isTOML(path) {
		return tomlFormat{}
	}
	return jsonFormat{}
}

// WrapServers returns the file with each server that is started as a program, and is
// not wrapped yet, wrapped, and their names. Wrapping twice changes nothing. The
// extension of path says which format the file has.
func WrapServers(path string, file []byte, w Wrapper) (changed []byte, names []string, err error) {
	return rewrite(path, file, func(s server) (bool, error) {
		argv, err := s.argv()
		if err != nil || wrappedAt(argv) > 0 {
			return false, err
		}
		front := slices.Concat(w.Flags, []string{"--server", s.name()})
		if s.acp() {
			front = append(front, "--protocol", "acp")
		}
		s.replace(w.Program, append(front, divider))
		return true, nil
	})
}

// UnwrapServers returns the file without what [WrapServers] added, and the names of the servers
// that it changed. If only names any, it changes no others.
func UnwrapServers(path string, file []byte, only ...string) (changed []byte, names []string, err error) {
	return rewrite(path, file, func(s server) (bool, error) {
		argv, err := s.argv()
		at := wrappedAt(argv)
		if err != nil || at <= 0 || len(only) > 0 && !slices.Contains(only, s.name()) {
			return false, err
		}
		s.restore(at)
		return true, nil
	})
}

// sameServers reports whether two files mean the same, whatever their layout; no args
// is the same as an empty list of them.
func sameServers(path string, a, b []byte) bool {
	return formatOf(path).same(bytes.TrimPrefix(a, byteOrderMark), bytes.TrimPrefix(b, byteOrderMark))
}

func rewrite(path string, file []byte, change func(server) (bool, error)) (changed []byte, names []string, err error) {
	text, marked := bytes.CutPrefix(file, byteOrderMark)
	changed, names, err = formatOf(path).rewrite(text, func(s server) (bool, error) {
		done, err := change(s)
		if err != nil {
			err = fmt.Errorf("server %q: %w", s.name(), err)
		}
		return done, err
	})
	if marked && err == nil {
		changed = slices.Concat(byteOrderMark, changed)
	}
	return changed, names, err
}

// divider separates the arguments of mcptap from the server's command.
const divider = "--"

// wrappedAt is the index of the server's own command in argv, 0 if it is not
// started through mcptap.
func wrappedAt(argv []string) int {
	if len(argv) == 0 || !isMcptap(argv[0]) {
		return 0
	}
	for i := 1; i < len(argv)-1; i++ {
		switch flag := argv[i]; {
		case flag == divider && argv[i+1] == "":
			return 0 // not a command
		case flag == divider:
			return i + 1
		case !strings.HasPrefix(flag, "--"):
			return 0 // a subcommand
		case flag != "--propagate" && !strings.Contains(flag, "="):
			i++ // its value, which may look like a flag, or like the divider
		}
	}
	return 0
}

func isMcptap(program string) bool {
	base := filepath.Base(strings.ReplaceAll(program, `\`, "/"))
	return strings.TrimSuffix(base, ".exe") == "mcptap"
}
