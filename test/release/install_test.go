package release

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// TestShellcheck: the scripts that users and packages run have no finding, those of the build no warning.
func TestShellcheck(t *testing.T) {
	shellcheck := harness.LookPath(t, "shellcheck")
	for severity, patterns := range map[string][]string{
		"style": {"install.sh", "packaging/scripts/*.sh"}, "warning": {"test/*.sh", ".ci/run"},
	} {
		for _, pattern := range patterns {
			scripts, err := filepath.Glob(filepath.Join(harness.Root, pattern))
			require.NoError(t, err)
			require.NotEmpty(t, scripts, pattern)
			output(t, shellcheck, append([]string{"--severity", severity}, scripts...)...)
		}
	}
}

// archive is a release's archive with these files.
func archive(t *testing.T, files ...tar.Header) []byte {
	t.Helper()
	var buffer bytes.Buffer
	zipped := gzip.NewWriter(&buffer)
	tarred := tar.NewWriter(zipped)
	for _, header := range files {
		text := "#!/bin/sh\necho " + header.Name + "\n"
		if header.Typeflag == tar.TypeReg {
			header.Size = int64(len(text))
		}
		header.Mode = 0o755
		require.NoError(t, tarred.WriteHeader(&header))
		if header.Typeflag == tar.TypeReg {
			_, err := tarred.Write([]byte(text))
			require.NoError(t, err)
		}
	}
	require.NoError(t, tarred.Close())
	require.NoError(t, zipped.Close())
	return buffer.Bytes()
}

func regular(name string) tar.Header { return tar.Header{Name: name, Typeflag: tar.TypeReg} }

// releases serves files as GitHub does: each release below download, and the checksums of the latest.
func releases(t *testing.T, files map[string][]byte) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, found := files[r.URL.Path]
		if !found {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(body)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// script runs install.sh in an empty home, in which .local/bin is its default.
func script(t *testing.T, releases string, env []string, arguments ...string) (home, out string, err error) {
	t.Helper()
	home = t.TempDir()
	command := exec.CommandContext(t.Context(), "sh", append([]string{filepath.Join(harness.Root, "install.sh")}, arguments...)...)
	command.Env = append([]string{"HOME=" + home, "TMPDIR=" + t.TempDir(), "PATH=" + os.Getenv("PATH"), "OTELCOL_MCP_RELEASES=" + releases}, env...)
	text, err := command.CombinedOutput()
	left, readErr := os.ReadDir(command.Env[1][len("TMPDIR="):])
	require.NoError(t, readErr)
	assert.Empty(t, left, "files of the download stay behind")
	return home, string(text), err
}

func archiveName(version string) string {
	return fmt.Sprintf("otelcol-mcp_%s_%s_%s.tar.gz", version, runtime.GOOS, runtime.GOARCH)
}

func checksum(content []byte, name string) []byte {
	return fmt.Appendf(nil, "%x  %s\n", sha256.Sum256(content), name)
}

func TestInstall(t *testing.T) {
	good := archive(t, regular("LICENSE"), regular("otelcol-mcp"), regular("mcptap"))
	older, newer := archiveName("0.1.0"), archiveName("0.2.0-rc.1")
	url := releases(t, map[string][]byte{
		"/download/v0.1.0/checksums.txt":      checksum(good, older),
		"/download/v0.1.0/" + older:           good,
		"/latest/download/checksums.txt":      append(checksum(nil, "otelcol-mcp_0.2.0-rc.1_plan9_386.tar.gz"), checksum(good, newer)...),
		"/download/v0.2.0-rc.1/" + newer:      good,
		"/download/v0.2.0-rc.1/checksums.txt": checksum(good, newer),
	})
	for name, test := range map[string]struct {
		arguments []string
		dir       string
		version   string
	}{
		"latest":               {nil, ".local/bin", "0.2.0-rc.1"},
		"a version":            {[]string{"--version", "0.1.0"}, ".local/bin", "0.1.0"},
		"a version with its v": {[]string{"--version=v0.1.0"}, ".local/bin", "0.1.0"},
	} {
		t.Run(name, func(t *testing.T) {
			home, out, err := script(t, url, nil, test.arguments...)
			require.NoError(t, err, out)
			assert.Contains(t, out, "Installed otelcol-mcp and mcptap "+test.version)
			assert.Contains(t, out, "not in your PATH")
			for _, program := range []string{"otelcol-mcp", "mcptap"} {
				assert.Equal(t, program+"\n", output(t, filepath.Join(home, test.dir, program)))
			}
			entries, err := os.ReadDir(filepath.Join(home, test.dir))
			require.NoError(t, err)
			assert.Len(t, entries, 2)
		})
	}
	t.Run("a directory, and once more over it", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "a b", "bin")
		for range 2 {
			home, out, err := script(t, url, []string{"PATH=" + dir + ":" + os.Getenv("PATH")}, "--dir", dir)
			require.NoError(t, err, out)
			assert.NotContains(t, out, "PATH")
			assert.NoDirExists(t, filepath.Join(home, ".local"))
			assert.Equal(t, "mcptap\n", output(t, filepath.Join(dir, "mcptap")))
		}
	})
	t.Run("dry run", func(t *testing.T) {
		home, out, err := script(t, url, nil, "--dry-run")
		require.NoError(t, err, out)
		assert.Contains(t, out, "Would install otelcol-mcp and mcptap 0.2.0-rc.1 to "+home)
		assert.NoDirExists(t, filepath.Join(home, ".local"))
	})
}

func TestInstallRefuses(t *testing.T) {
	name := archiveName("0.1.0")
	good := archive(t, regular("otelcol-mcp"), regular("mcptap"))
	link := archive(t, regular("mcptap"), tar.Header{Name: "otelcol-mcp", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"})
	half := archive(t, regular("otelcol-mcp"))
	for label, test := range map[string]struct {
		checksums, archive []byte
		arguments          []string
		want               string
	}{
		"a wrong archive":               {checksum(good, name), half, nil, "is damaged"},
		"a cut archive":                 {checksum(good, name), good[:len(good)/2], nil, "is damaged"},
		"a cut archive with its sum":    {checksum(good[:len(good)/2], name), good[:len(good)/2], nil, "does not contain"},
		"an archive without a program":  {checksum(half, name), half, nil, "does not contain"},
		"a link instead of a program":   {checksum(link, name), link, nil, "otelcol-mcp in " + name + " is not a file"},
		"no archive":                    {checksum(good, name), nil, nil, "cannot download"},
		"no checksums":                  {nil, good, nil, "cannot download"},
		"checksums without the archive": {checksum(good, "other.tar.gz"), good, nil, "does not name " + name},
		"half a checksum":               {checksum(good, name)[32:], good, nil, "does not name " + name},
		"a page instead of checksums":   {[]byte("<html>"), good, nil, "does not name " + name},
		"a version that is a path":      {nil, nil, []string{"--version", "../../x"}, "is not a version"},
		"a version that does not exist": {checksum(good, name), good, []string{"--version", "9.9.9"}, "cannot download"},
		"an option that it has not":     {nil, nil, []string{"--prefix", "/usr"}, "unknown argument --prefix"},
		"an option without its value":   {nil, nil, []string{"--dir"}, "--dir needs a value"},
		"an option with an empty value": {nil, nil, []string{"--dir", ""}, "--dir needs a value"},
		"a directory that cannot be":    {checksum(good, name), good, []string{"--dir", "/dev/null/bin"}, "cannot make /dev/null/bin"},
	} {
		t.Run(label, func(t *testing.T) {
			files := map[string][]byte{}
			if test.checksums != nil {
				files["/download/v0.1.0/checksums.txt"] = test.checksums
			}
			if test.archive != nil {
				files["/download/v0.1.0/"+name] = test.archive
			}
			home, out, err := script(t, releases(t, files), nil, append([]string{"--version", "0.1.0"}, test.arguments...)...)
			require.Error(t, err, out)
			assert.Contains(t, out, "install.sh: ")
			assert.Contains(t, out, test.want)
			assert.NoDirExists(t, filepath.Join(home, ".local"))
		})
	}
}

// TestInstallRefusesPlatforms that have no release: uname says what the machine is.
func TestInstallRefusesPlatforms(t *testing.T) {
	for _, machine := range [][2]string{{"FreeBSD", "amd64"}, {"MINGW64_NT-10.0", "x86_64"}, {"Linux", "riscv64"}, {"Linux", "armv7l"}} {
		t.Run(machine[0]+" "+machine[1], func(t *testing.T) {
			bin := t.TempDir()
			uname := fmt.Sprintf("#!/bin/sh\ncase $1 in -s) echo %s ;; -m) echo %s ;; esac\n", machine[0], machine[1])
			require.NoError(t, os.WriteFile(filepath.Join(bin, "uname"), []byte(uname), 0o755))
			_, out, err := script(t, releases(t, nil), []string{"PATH=" + bin + ":" + os.Getenv("PATH")})
			require.Error(t, err)
			assert.Contains(t, out, "no release for")
		})
	}
}

// TestHalfAScript: a download that breaks off installs nothing.
func TestHalfAScript(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(harness.Root, "install.sh"))
	require.NoError(t, err)
	for at := 0; at < len(text)-len("main \"$@\"\n"); at += 97 {
		command := exec.CommandContext(t.Context(), "sh")
		command.Stdin = bytes.NewReader(text[:at])
		dir := t.TempDir()
		command.Env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "OTELCOL_MCP_RELEASES=http://localhost:1"}
		out, _ := command.CombinedOutput()
		assert.NotContains(t, string(out), "download", at)
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		assert.Empty(t, entries)
	}
}

// TestInstallARelease installs what make dist has made, and runs it.
func TestInstallARelease(t *testing.T) {
	folder := dist(t)
	checksums, err := os.ReadFile(filepath.Join(folder, "checksums.txt"))
	require.NoError(t, err)
	path := one(t, filepath.Join(folder, "otelcol-mcp_*.tar.gz"))
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	version := strings.Split(filepath.Base(path), "_")[1]
	home, out, err := script(t, releases(t, map[string][]byte{
		"/latest/download/checksums.txt":                    checksums,
		"/download/v" + version + "/" + filepath.Base(path): content,
	}), nil)
	require.NoError(t, err, out)
	for _, program := range []string{"otelcol-mcp", "mcptap"} {
		assert.Contains(t, output(t, filepath.Join(home, ".local", "bin", program), "--version"), program+" version "+version)
	}
}
