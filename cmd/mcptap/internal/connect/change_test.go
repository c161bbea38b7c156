package connect

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What an agent writes between the plan and its execution is not overwritten.
func TestApplyChangedMeanwhile(t *testing.T) {
	journal := Journal{Folder: filepath.Join(t.TempDir(), "journal")}
	for name, c := range map[string]struct{ old, now, new []byte }{
		"edited":  {[]byte("{}"), []byte(`{"a":1}`), []byte(`{"b":2}`)},
		"created": {nil, []byte(`{"a":1}`), []byte(`{"b":2}`)},
		"emptied": {[]byte("{}"), []byte(""), nil},
		"removed": {[]byte("{}"), nil, []byte(`{"b":2}`)},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "settings.json")
			if c.now != nil {
				require.NoError(t, os.WriteFile(path, c.now, 0o600))
			}
			change := Change{Path: path, Old: c.old, New: c.new, journal: journal, record: &record{Agent: "a", Path: path}}
			require.ErrorContains(t, change.Apply(), path+" has changed meanwhile: run mcptap again")
			text, err := os.ReadFile(path)
			assert.Equal(t, c.now == nil, os.IsNotExist(err))
			assert.Equal(t, string(c.now), string(text))
			assert.NoDirExists(t, journal.Folder)
		})
	}
}
