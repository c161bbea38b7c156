package checkedstorage

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/extension/xextension/storage"
)

const writerDirectory = "CHECKED_STORAGE_WRITER_DIRECTORY"

// TestWriter is the process that TestKilled kills: it writes until then, and says
// so each time.
func TestWriter(t *testing.T) {
	dir := os.Getenv(writerDirectory)
	if dir == "" {
		t.Skip("for TestKilled")
	}
	c := newFixture(t, dir, nil).client(t)
	for n := 0; ; n++ {
		var ops []*storage.Operation
		for range 1 + rand.IntN(20) {
			key := fmt.Sprint("key-", rand.IntN(2000))
			if rand.IntN(3) == 0 {
				ops = append(ops, storage.DeleteOperation(key))
			} else {
				ops = append(ops, storage.SetOperation(key, []byte(strings.Repeat("v", rand.IntN(9000)))))
			}
		}
		ops = append(ops, storage.SetOperation("count", fmt.Append(nil, n)))
		require.NoError(t, c.Batch(t.Context(), ops...))
		fmt.Println(n)
	}
}

// A process that is killed leaves no damage, and what it was told to be written is.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	for range 20 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestWriter$")
		cmd.Env = append(os.Environ(), writerDirectory+"="+dir)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		lines, last := bufio.NewScanner(out), ""
		for range 1 + rand.IntN(200) {
			require.True(t, lines.Scan())
			last = lines.Text()
		}
		require.NoError(t, cmd.Process.Kill())
		for lines.Scan() {
			last = lines.Text()
		}
		require.Error(t, cmd.Wait())

		f := newFixture(t, dir, nil)
		c := f.client(t)
		count, err := c.Get(t.Context(), "count")
		require.NoError(t, err)
		var has, told int
		_, err = fmt.Sscan(string(count), &has)
		require.NoError(t, err)
		_, err = fmt.Sscan(last, &told)
		require.NoError(t, err)
		assert.GreaterOrEqual(t, has, told)
		assert.Empty(t, f.corrupt(t))
		require.NoError(t, c.Close(t.Context()))
	}
}
