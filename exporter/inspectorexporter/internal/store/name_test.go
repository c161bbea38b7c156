package store

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNames(t *testing.T) {
	long := strings.Repeat("x", 128)
	for name, want := range map[string]struct {
		id string
		n  int
	}{
		"a.jsonl.gz":                {"a", 0},
		"A-z_09.jsonl.gz":           {"A-z_09", 0},
		long + ".jsonl.gz":          {long, 0},
		"a.chunk_1.jsonl.gz":        {"a", 1},
		"a.chunk_999999.jsonl.gz":   {"a", 999999},
		"chunk_1.chunk_20.jsonl.gz": {"chunk_1", 20},
	} {
		id, n, ok := parseName(name)
		assert.True(t, ok, name)
		assert.Equal(t, want.id, id)
		assert.Equal(t, want.n, n)
		assert.Equal(t, name, chunkName(id, n))
	}
	for _, name := range []string{
		"", ".jsonl.gz", "a.jsonl", "a.jsonl.gz.new", "a.b.jsonl.gz", "é.jsonl.gz", "a/b.jsonl.gz", "x" + long + ".jsonl.gz", "a\n.jsonl.gz",
		"a.chunk_.jsonl.gz", "a.chunk_0.jsonl.gz", "a.chunk_01.jsonl.gz", "a.chunk_+1.jsonl.gz", "a.chunk_-1.jsonl.gz", "a.chunk_1x.jsonl.gz",
		"a.chunk_1000000.jsonl.gz", "a.chunk_1.chunk_2.jsonl.gz", "a..jsonl.gz", "a.chunk_1_0.jsonl.gz", "a.jsonl.gz\n",
	} {
		_, _, ok := parseName(name)
		assert.False(t, ok, name)
	}
}
