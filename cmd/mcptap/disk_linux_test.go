package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// smallDisk is a directory on a file system of its own of so many bytes.
func smallDisk(t *testing.T, size int) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+strconv.Itoa(size)); err != nil {
		t.Skip("NOT TESTED: a full disk needs a small tmpfs, which this user may not mount: " + err.Error())
	}
	t.Cleanup(func() { require.NoError(t, syscall.Unmount(dir, 0)) })
	return dir
}

// On a full disk every record is in the file, in a line of its own, or said to
// be lost.
func TestFileOnFullDisk(t *testing.T) {
	file := filepath.Join(smallDisk(t, 128<<10), "out.ndjson")
	const calls = 2000
	var requests bytes.Buffer
	for i := range calls {
		requests.WriteString(`{"jsonrpc":"2.0","id":` + strconv.Itoa(i) + `,"method":"tools/call","params":{"name":"` + strings.Repeat("x", 200) + "\"}}\n")
	}
	cmd := tapped(t, "echo="+os.DevNull, "--file", file)
	cmd.Stdin = &requests
	require.NoError(t, cmd.Run(), "the exit code is the server's")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NotEmpty(t, text)
	written := 0
	for line := range bytes.Lines(text) {
		require.True(t, json.Valid(line), "a torn line: %q", line)
		if !bytes.Contains(line, []byte(`"notifications/mcptap/dropped"`)) {
			written++
		}
	}
	said := cmd.Stderr.(*bytes.Buffer).String()
	last := regexp.MustCompile(`(?m)^mcptap: (\d+) records lost in total: .*: no space left on device\n\z`).FindStringSubmatch(said)
	require.NotNil(t, last, said)
	lost, err := strconv.Atoi(last[1])
	require.NoError(t, err)
	assert.Equal(t, 2*calls+1, written+lost, "both directions and the end")
}
