package store_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// Whatever is open: it is read back as it was.
func TestWhatIsStoredIsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		prog := drawProgram(t)
		p := newPlayer(prog.opt)
		for _, s := range prog.steps {
			p.step(t, s)
			for _, r := range tableOf(p.engine).Records() {
				data, err := r.Marshal()
				require.NoError(t, err)
				var back store.RecordData
				require.NoError(t, back.Unmarshal(data))
				withoutEmpty(reflect.ValueOf(&r).Elem())
				withoutEmpty(reflect.ValueOf(&back).Elem())
				require.Equal(t, r, back)
			}
		}
	})
}

// withoutEmpty makes empty collections nil, which is the same.
func withoutEmpty(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			withoutEmpty(v.Elem())
		}
	case reflect.Struct:
		for _, f := range v.Fields() {
			withoutEmpty(f)
		}
	case reflect.Slice:
		for i := range v.Len() {
			withoutEmpty(v.Index(i))
		}
		fallthrough
	case reflect.Map:
		if v.Len() == 0 {
			v.SetZero()
		}
	}
}
