package tracefiles

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.uber.org/zap"
)

// Places that cannot be are not followed: a storage need not notice damage.
func TestDamagedPlaces(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON": `[{"id":"1","offset":5,"head":1,"length":5},{"id":`,
		"offset":  `[{"id":"1","offset":-5,"head":1,"length":5}]`,
		"lines":   `[{"id":"1","offset":5,"skip":-1,"head":1,"length":5}]`,
		"long":    `[{"id":"1","offset":5,"head":1,"length":4611686018427387904}]`,
		"short":   `[{"id":"1","offset":5,"head":1,"length":-1}]`,
	} {
		t.Run(name, func(t *testing.T) {
			r := New(Settings{Logger: zap.NewNop(), Places: Stored{Client: fixed{text: text}}})
			r.restore(t.Context())
			for _, f := range r.files {
				assert.NoError(t, f.verify(strings.NewReader("a file"), 6))
			}
			assert.Empty(t, r.files)
		})
	}
}

// fixed has one value.
type fixed struct {
	storage.Client
	text string
}

func (f fixed) Get(context.Context, string) ([]byte, error) { return []byte(f.text), nil }
