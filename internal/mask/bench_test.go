package mask

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// benchTexts are typical tool results of about 256 KiB.
func benchTexts(tb testing.TB) map[string]string {
	tb.Helper()
	r := rand.New(rand.NewPCG(3, 3))
	var code, logs, items strings.Builder
	files, err := filepath.Glob("../*/*.go")
	require.NoError(tb, err)
	for _, file := range files {
		if code.Len() < 256<<10 && !strings.HasSuffix(file, "_test.go") {
			text, err := os.ReadFile(file)
			require.NoError(tb, err)
			code.Write(text)
		}
	}
	for i := range 2000 {
		fmt.Fprintf(&logs, "2026-11-24T12:%02d:%02d.123Z INFO [worker-%d] http.server: GET /api/v1/users/%d?page=2 200 %dms trace_id=%s\n",
			i/60%60, i%60, i%8, i, i%300, random(r, hexa, 32))
		fmt.Fprintf(&items, `{"id":"%s","name":"user %d","email":"user%d@example.com","url":"https://example.com/users/%d","tags":["a","b"],"total_tokens":%d},`,
			random(r, hexa, 24), i, i, i, i)
	}
	data := make([]byte, 192<<10)
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	json := `{"items":[` + strings.TrimSuffix(items.String(), ",") + `]}`
	return map[string]string{
		"code": code.String(), "logs": logs.String(), "json": json, "json in json": nest(json), "code in json": nest(code.String()),
		"image": `{"type":"image","data":"` + base64.StdEncoding.EncodeToString(data) + `"}`,
	}
}

func BenchmarkText(b *testing.B) {
	m := masker(b)
	for name, text := range benchTexts(b) {
		b.Run(strings.ReplaceAll(name, " ", "_"), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				m.Text(text, nil)
			}
		})
	}
	b.Run("with_a_secret", func(b *testing.B) {
		text := benchTexts(b)["json"] + "\npassword=" + random(rand.New(rand.NewPCG(1, 1)), alnum, 20)
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			m.Text(text, nil)
		}
	})
}

// BenchmarkNew is what a program pays once.
func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		newAutomaton(builtInEntries())
	}
}
