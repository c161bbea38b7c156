package harness

import (
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Root is the repository's folder. A test runs in the folder of its package, below
// it; where this file was is not known after go build -trimpath.
var Root = func() string {
	dir, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	for from := dir; ; dir = filepath.Dir(dir) {
		if IsFile(filepath.Join(dir, "builder-config.yaml")) {
			return dir
		}
		if dir == filepath.Dir(dir) {
			panic("not in the repository: " + from)
		}
	}
}()

// built are the programs that this test package has built.
var built = struct {
	sync.Mutex
	path map[string]string
}{path: map[string]string{}}

// Collector is the path of the distribution: the one that OTELCOL_MCP names,
// else one that is built now, since it is what changes.
func Collector(t *testing.T) string {
	t.Helper()
	return ready(t, "OTELCOL_MCP", func() (string, error) { return build(Root, "otelcol-mcp", "./cmd/otelcol-mcp") })
}

// PlainCollector is [Collector] without race detection, for tests that measure
// its memory.
func PlainCollector(t *testing.T) string {
	t.Helper()
	path := Collector(t)
	info, err := buildinfo.ReadFile(path)
	require.NoError(t, err)
	if !slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		return path
	}
	return ready(t, "", func() (string, error) { return build(Root, "otelcol-mcp-plain", "./cmd/otelcol-mcp") })
}

// Tap is the path of mcptap: the one that MCPTAP names, else one that is built
// now.
func Tap(t *testing.T) string {
	t.Helper()
	return ready(t, "MCPTAP", func() (string, error) { return build(Root, "mcptap", "./cmd/mcptap") })
}

// Jaeger is the path of Jaeger 2: the one that JAEGER names, else the one in the build
// folder, which is made when it is not there.
func Jaeger(t *testing.T) string {
	t.Helper()
	return ready(t, "JAEGER", func() (string, error) {
		const name = "jaeger"
		if built := filepath.Join(Root, "build", name); IsFile(built) {
			return built, nil
		}
		return build(filepath.Join(Root, "test", "jaeger"), name, "github.com/jaegertracing/jaeger/cmd/jaeger")
	})
}

// Program builds a package below test/, which is a module of its own or part
// of the repository's, and gives the path of the program.
func Program(t *testing.T, name string) string {
	t.Helper()
	return ready(t, "", func() (string, error) { return build(filepath.Join(Root, "test", name), "test-"+name, ".") })
}

func ready(t *testing.T, variable string, otherwise func() (string, error)) string {
	t.Helper()
	if path := os.Getenv(variable); path != "" {
		absolute, err := filepath.Abs(path)
		require.NoError(t, err)
		return absolute
	}
	path, err := otherwise()
	require.NoError(t, err)
	return path
}

// build builds a package of the module in dir into the repository's build
// folder. Packages that are tested at the same time take turns, and the second
// one finds that nothing is to be done.
func build(dir, name, pkg string) (string, error) {
	built.Lock()
	defer built.Unlock()
	if path, ok := built.path[name]; ok {
		return path, nil
	}
	target := filepath.Join(Root, "build", name)
	lock, err := lockFile(filepath.Join(Root, "build", "lock"), true)
	if err != nil {
		return "", err
	}
	defer lock.Close()
	cmd := exec.Command("go", "build", "-o", target, pkg)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", pkg, err, out)
	}
	built.path[name] = target
	return target, nil
}

// lockFile opens a file and locks it for as long as it is open. Without wait, one
// that is locked already is errLocked.
func lockFile(path string, wait bool) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, err
	}
	if err := flock(file, wait); err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), file.Close())
	}
	return file, nil
}

// IsFile tells whether there is a file, and not a folder, of this name.
func IsFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// LookPath finds a program that the test cannot do without.
func LookPath(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		Missing(t, name+" is not installed")
	}
	return path
}

// Missing skips the test, or fails it on a build server, so that none is left
// out there unseen.
func Missing(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		require.FailNow(t, what)
	}
	t.Skip("NOT TESTED: " + what)
}
