package e2e

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden files anew")

// root is the repository's, seen from this package's folder.
const root = "../.."

func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		fmt.Println("end-to-end tests are left out with -short")
		return
	}
	os.Exit(m.Run())
}

// The collector is always built, since it is what changes; Jaeger only if it
// is not there yet, since it never changes.
var (
	collectorBinary = sync.OnceValues(func() (string, error) {
		if ready := os.Getenv("OTELCOL_MCP"); ready != "" {
			return filepath.Abs(ready)
		}
		return goBuild(root, "otelcol-mcp", "./cmd/otelcol-mcp")
	})
	jaegerBinary = sync.OnceValues(func() (string, error) {
		if ready := os.Getenv("JAEGER_ALL_IN_ONE"); ready != "" {
			return filepath.Abs(ready)
		}
		const name = "jaeger-all-in-one"
		if built := filepath.Join(root, "build", name); isFile(built) {
			return filepath.Abs(built)
		}
		return goBuild(filepath.Join(root, "test", "jaeger"), name, "github.com/jaegertracing/jaeger/cmd/all-in-one")
	})
)

// goBuild builds a package of the module in dir into the repository's build folder.
func goBuild(dir, name, pkg string) (string, error) {
	target, err := filepath.Abs(filepath.Join(root, "build", name))
	if err != nil {
		return "", err
	}
	cmd := exec.Command("go", "build", "-o", target, pkg)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", pkg, err, out)
	}
	return target, nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// lookPath finds a program that the test cannot do without. On a build server
// its absence is an error, so that no test is left out there unseen.
func lookPath(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		missing(t, name+" is not installed")
	}
	return path
}

func missing(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		require.FailNow(t, what)
	}
	t.Skip("NOT TESTED: " + what)
}
