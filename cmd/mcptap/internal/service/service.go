// Package service lets the collector start with the machine: as a unit of the user's
// systemd, or as an agent of launchd.
package service

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const (
	unit  = "otelcol-mcp.service"
	label = "io.github.otelcol-mcp.otelcol-mcp"
	// mark is in each file that is ours: no other is replaced or removed.
	mark = "Written by mcptap service install"
)

// Service is the collector as a service of a user.
type Service struct {
	Home    string
	OS      string // as runtime.GOOS
	Env     func(name string) string
	UID     int
	Command []string // program and arguments, with absolute paths
	// Run runs a program and returns what it prints. A test has its own.
	Run func(ctx context.Context, command ...string) ([]byte, error)
}

// ErrUnsupported reports a system without a kind of services that is known.
var ErrUnsupported = errors.New("services are for Linux with systemd, and for macOS: start the collector yourself")

var errForeign = errors.New("it was not written by mcptap: move it away first")

// Path is the file that describes the service.
func (s *Service) Path() (string, error) {
	switch s.OS {
	case "linux":
		folder := s.Env("XDG_CONFIG_HOME")
		if folder == "" {
			folder = filepath.Join(s.Home, ".config")
		}
		return filepath.Join(folder, "systemd", "user", unit), nil
	case "darwin":
		return filepath.Join(s.Home, "Library", "LaunchAgents", label+".plist"), nil
	}
	return "", ErrUnsupported
}

// Text is the content of the file.
func (s *Service) Text() []byte {
	if s.OS == "darwin" {
		return s.plist()
	}
	words := make([]string, len(s.Command))
	for i, word := range s.Command {
		words[i] = quoteUnit(word)
	}
	return []byte("# " + mark + ". To remove it: mcptap service uninstall\n" +
		"[Unit]\nDescription=otelcol-mcp, which makes AI agents visible\n\n" +
		"[Service]\nExecStart=" + strings.Join(words, " ") + "\nRestart=on-failure\nRestartSec=2\n\n" +
		"[Install]\nWantedBy=default.target\n")
}

// quoteUnit writes a word of ExecStart (systemd.service(5), "Command lines").
func quoteUnit(word string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `%`, `%%`, `$`, `$$`, "\n", `\n`).Replace(word) + `"`
}

func (s *Service) plist() []byte {
	var b bytes.Buffer
	text := func(element, value string) {
		b.WriteString("<" + element + ">")
		_ = xml.EscapeText(&b, []byte(value))
		b.WriteString("</" + element + ">\n")
	}
	b.WriteString(xml.Header + "<!-- " + mark + ". To remove it: mcptap service uninstall -->\n" +
		`<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">` +
		"\n<plist version=\"1.0\">\n<dict>\n<key>Label</key>\n")
	text("string", label)
	b.WriteString("<key>ProgramArguments</key>\n<array>\n")
	for _, word := range s.Command {
		text("string", word)
	}
	b.WriteString("</array>\n<key>RunAtLoad</key>\n<true/>\n<key>KeepAlive</key>\n<dict><key>SuccessfulExit</key><false/></dict>\n<key>StandardErrorPath</key>\n")
	text("string", s.Log())
	b.WriteString("</dict>\n</plist>\n")
	return b.Bytes()
}

// Log is the file with the collector's log, "" if the system has a place of its own.
func (s *Service) Log() string {
	if s.OS != "darwin" {
		return ""
	}
	return filepath.Join(s.Home, "Library", "Logs", "otelcol-mcp.log")
}

// Starting are the commands that start the service, now and with the machine.
func (s *Service) Starting(path string) [][]string {
	if s.OS == "darwin" {
		return [][]string{{"launchctl", "bootstrap", s.domain(), path}}
	}
	return [][]string{
		{"systemctl", "--user", "daemon-reload"}, {"systemctl", "--user", "enable", unit}, {"systemctl", "--user", "restart", unit},
	}
}

// Stopping are the commands that stop it for good, while its file is still there.
func (s *Service) Stopping() [][]string {
	if s.OS == "darwin" {
		return [][]string{{"launchctl", "bootout", s.domain() + "/" + label}}
	}
	return [][]string{{"systemctl", "--user", "disable", "--now", unit}}
}

func (s *Service) domain() string { return fmt.Sprintf("gui/%d", s.UID) }

// Installed is the file as it is, nil if there is none. A file that is not ours is an error.
func (s *Service) Installed() (path string, text []byte, err error) {
	if path, err = s.Path(); err != nil {
		return "", nil, err
	}
	text, err = os.ReadFile(path) //nolint:gosec // in the user's own folder
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return path, nil, nil
	case err == nil && !bytes.Contains(text, []byte(mark)):
		err = fmt.Errorf("%s: %w", path, errForeign)
	}
	return path, text, err
}

// Install writes the file and starts the service. One that runs is started anew.
func (s *Service) Install(ctx context.Context) error {
	path, before, err := s.Installed()
	if err != nil {
		return err
	}
	if before != nil && s.OS == "darwin" {
		_ = s.run(ctx, s.Stopping()) // what is loaded cannot be loaded again
	}
	if err = os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // as the system makes it
		return err
	}
	if err = os.WriteFile(path, s.Text(), 0o644); err != nil { //nolint:gosec // it holds no secret
		return err
	}
	if err = s.run(ctx, s.Starting(path)); err != nil {
		return fmt.Errorf("%s is written, but %w", path, err)
	}
	return nil
}

// Uninstall stops the service and removes the file.
func (s *Service) Uninstall(ctx context.Context) error {
	path, text, err := s.Installed()
	if err != nil || text == nil {
		return err
	}
	stopped := s.run(ctx, s.Stopping())
	if err = os.Remove(path); err != nil {
		return err
	}
	if s.OS == "linux" && stopped == nil {
		stopped = s.run(ctx, [][]string{{"systemctl", "--user", "daemon-reload"}})
	}
	if stopped != nil {
		return fmt.Errorf("%s is removed, but %w", path, stopped)
	}
	return nil
}

// State is what the system says of the service: active, failed and the like.
func (s *Service) State(ctx context.Context) string {
	command := []string{"systemctl", "--user", "is-active", unit}
	if s.OS == "darwin" {
		command = []string{"launchctl", "print", s.domain() + "/" + label}
	}
	out, err := s.Run(ctx, command...)
	if s.OS != "darwin" {
		if state := strings.TrimSpace(string(out)); state != "" && !strings.Contains(state, "\n") {
			return state
		}
		return "unknown"
	}
	if err != nil {
		return "inactive"
	}
	if _, rest, ok := strings.Cut(string(out), "state = "); ok {
		state, _, _ := strings.Cut(rest, "\n")
		return state
	}
	return "unknown"
}

func (s *Service) run(ctx context.Context, commands [][]string) error {
	for _, command := range commands {
		if out, err := s.Run(ctx, command...); err != nil {
			return fmt.Errorf("%s failed: %w %s", strings.Join(command, " "), err, bytes.TrimSpace(out))
		}
	}
	return nil
}
