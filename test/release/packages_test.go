package release

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// installs are the files of each package.
var installs = map[string][]string{
	"otelcol-mcp": {
		"/etc/otelcol-mcp/otelcol-mcp.env", "/usr/bin/otelcol-mcp", "/usr/lib/systemd/system/otelcol-mcp.service",
		"/usr/share/doc/otelcol-mcp/copyright",
	},
	"mcptap": {"/usr/bin/mcptap", "/usr/share/doc/mcptap/copyright"},
}

// TestPackages: the three kinds of packages have the same files. Only the Debian
// package is installed here; rpm reads and checks the others of its kind, and apk's
// are read as the archives that they are.
func TestPackages(t *testing.T) {
	folder := dist(t)
	for name, want := range installs {
		t.Run(name+".deb", func(t *testing.T) {
			got := []string{}
			deb := one(t, filepath.Join(folder, name+"_*.deb"))
			for line := range strings.Lines(output(t, harness.LookPath(t, "dpkg-deb"), "--contents", deb)) {
				if fields := strings.Fields(line); !strings.HasPrefix(fields[0], "d") {
					got = append(got, path.Join("/", fields[5]))
				}
			}
			slices.Sort(got)
			assert.Equal(t, want, got)
		})
		t.Run(name+".rpm", func(t *testing.T) { readRPM(t, one(t, filepath.Join(folder, name+"-*.rpm")), name, want) })
		t.Run(name+".apk", func(t *testing.T) { readAPK(t, one(t, filepath.Join(folder, name+"_*.apk")), name, want) })
	}
}

func readRPM(t *testing.T, file, name string, want []string) {
	t.Helper()
	rpm := harness.LookPath(t, "rpm")
	query := func(arguments ...string) string {
		return output(t, rpm, append([]string{"--query", "--package", "--nosignature"}, append(arguments, file)...)...)
	}
	assert.Equal(t, want, strings.Fields(query("--list")))
	assert.Equal(t, name+" Apache-2.0", query("--queryformat", "%{NAME} %{LICENSE}"))
	assert.Contains(t, output(t, rpm, "--checksig", "--nosignature", file), "digests OK")
	if name == "otelcol-mcp" {
		assert.Equal(t, "/etc/otelcol-mcp/otelcol-mcp.env\n", query("--configfiles"))
		assert.Contains(t, query("--scripts"), "systemctl")
	}
}

// readAPK reads what is one archive after another, each compressed for itself.
func readAPK(t *testing.T, file, name string, want []string) {
	t.Helper()
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	require.NoError(t, err)
	got, control := []string{}, map[string]string{}
	for archive := tar.NewReader(unzipped); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		switch {
		case strings.HasPrefix(header.Name, "."):
			text, err := io.ReadAll(archive)
			require.NoError(t, err)
			control[header.Name] = string(text)
		case header.Typeflag == tar.TypeReg:
			got = append(got, path.Join("/", header.Name))
		}
	}
	slices.Sort(got)
	assert.Equal(t, want, got)
	assert.Regexp(t, `(?m)^pkgname = `+name+`$`, control[".PKGINFO"])
	assert.Regexp(t, `(?m)^license = Apache-2.0$`, control[".PKGINFO"])
	if name == "otelcol-mcp" {
		assert.Contains(t, control[".post-install"], "systemctl")
	}
}
