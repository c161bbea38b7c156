package mask

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzText: no text panics, masking again changes nothing, and valid JSON stays valid.
func FuzzText(f *testing.F) {
	for _, s := range corpus(1) {
		f.Add(s.text)
		f.Add(nest(s.text))
	}
	for _, text := range harmless()[:60] {
		f.Add(text)
	}
	for _, text := range []string{
		`"npassword":1`, `{"a\\password\\":1}`, `{"a":"password:","b":"x"}`, `{"password":"a\\\"b"}`, `\npassword='x`, `{"password":-1e5}`,
		`["--token","x\\"]`, `{"authorization":["a b",["c d"]]}`, `password=[masked: x]y1234567`, `{"x":"\u0070assword=abc123"}`,
	} {
		f.Add(text)
	}
	m := masker(f)
	own, err := New(Options{Rules: map[string]string{"ticket": `T-[0-9"]+`}, Keys: []string{"note"}})
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, text string) {
		for _, masker := range []*Masker{m, own} {
			counts := Counts{}
			out := masker.Text(text, counts)
			require.Equal(t, out, masker.Text(out, nil), "%q", text)
			if out == text {
				require.Empty(t, counts)
			}
			if json.Valid([]byte(text)) {
				require.True(t, json.Valid([]byte(out)), "%q: %q", text, out)
			}
		}
		if json.Valid([]byte(text)) {
			out := m.mask(text, nil, 0)
			require.True(t, json.Valid([]byte(out)), "without the net: %q: %q", text, out)
			if !strings.Contains(out, begin) {
				require.Equal(t, text, out)
			}
		}
	})
}
