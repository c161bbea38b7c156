package boltfile

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"
)

var damages = flag.Int("damages", 20, "how many damages each file gets")

// shapes are files as storages have them: as few keys as fit in their bucket, a
// tree of small values, one of large ones, and one with a list of free pages.
var shapes = map[string]struct {
	keys, value int
	freelist    bool
}{
	"inline":    {keys: 4, value: 100},
	"empty":     {},
	"tree":      {keys: 3000, value: 300},
	"overflow":  {keys: 20, value: 10_000},
	"free list": {keys: 3000, value: 300, freelist: true},
}

func open(tb testing.TB, path string, freelist bool) *bbolt.DB {
	tb.Helper()
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{NoSync: true, NoFreelistSync: !freelist, FreelistType: bbolt.FreelistMapType})
	require.NoError(tb, err)
	return db
}

// write makes a transaction as a storage's client does.
func write(tb testing.TB, db *bbolt.DB, rnd *rand.Rand, keys, value int) {
	tb.Helper()
	require.NoError(tb, db.Update(func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucketIfNotExists([]byte("default"))
		if err != nil || keys == 0 {
			return err
		}
		for range 1 + rnd.IntN(64) {
			key := fmt.Appendf(nil, "%s/%d", strings.Repeat("k", rnd.IntN(40)), rnd.IntN(keys))
			if rnd.IntN(4) == 0 {
				err = b.Delete(key)
			} else {
				err = b.Put(key, bytes.Repeat([]byte{byte(rnd.Int())}, rnd.IntN(2*value)))
			}
			if err != nil {
				return err
			}
		}
		return nil
	}))
}

func check(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	return errors.Join(Check(context.Background(), file, info.Size(), "default"), ReadAll(context.Background(), file, info.Size()))
}

// What bbolt writes is never found to be damaged, whatever it holds.
func TestWhole(t *testing.T) {
	for name, shape := range shapes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, rnd := filepath.Join(t.TempDir(), "file"), rand.New(rand.NewPCG(1, 2))
			db := open(t, path, shape.freelist)
			require.NoError(t, check(path), "before the first transaction")
			for range 60 {
				write(t, db, rnd, shape.keys, shape.value)
				require.NoError(t, check(path))
			}
			require.NoError(t, db.Close())
			require.NoError(t, check(path))
		})
	}
}

// damage changes a file as a disk or a crash would, and says how.
func damage(rnd *rand.Rand, image []byte) (how string, out []byte) {
	out = bytes.Clone(image)
	at := rnd.IntN(len(out))
	n := min(1+rnd.IntN(4096), len(out)-at)
	switch rnd.IntN(7) {
	case 0:
		return fmt.Sprintf("cut at %d", at), out[:at]
	case 1:
		clear(out[at : at+n])
		return fmt.Sprintf("%d zeros at %d", n, at), out
	case 2:
		out[at] ^= 1 << rnd.IntN(8)
		return fmt.Sprintf("a bit at %d", at), out
	case 3: // where the structure is
		at = at/4096*4096 + rnd.IntN(64)
		at = min(at, len(out)-1)
		out[at] = byte(rnd.Int())
		return fmt.Sprintf("a byte at %d", at), out
	case 4: // a page in the place of another one
		from := rnd.IntN(len(out)/4096) * 4096
		copy(out[at/4096*4096:], image[from:from+4096])
		return fmt.Sprintf("page %d over page %d", from/4096, at/4096), out
	case 5:
		clear(out[at:])
		return fmt.Sprintf("zeros from %d", at), out
	default:
		for i := range n {
			out[at+i] = byte(rnd.Int())
		}
		return fmt.Sprintf("%d random bytes at %d", n, at), out
	}
}

// A file that passes is one that bbolt can read and write; it would end the test
// otherwise. To see more of them: -damages 1000.
func TestDamaged(t *testing.T) {
	for name, shape := range shapes {
		t.Run(name, func(t *testing.T) {
			dir, rnd := t.TempDir(), rand.New(rand.NewPCG(3, 4))
			path := filepath.Join(dir, "file")
			db := open(t, path, shape.freelist)
			for range 100 {
				write(t, db, rnd, shape.keys, shape.value)
			}
			require.NoError(t, db.Close())
			image, err := os.ReadFile(path)
			require.NoError(t, err)
			found := 0
			for range *damages {
				how, damaged := damage(rnd, image)
				require.NoError(t, os.WriteFile(path, damaged, 0o600))
				if err := check(path); err != nil {
					require.ErrorIs(t, err, ErrDamaged, how)
					found++
					continue
				}
				t.Log("passes:", how)
				use(t, path, rnd, shape.keys, shape.value, shape.freelist)
			}
			t.Logf("%d of %d found", found, *damages)
		})
	}
}

// metaHeader is what bbolt's own check minds, and nothing else: the headers of the
// pages whose place says what they are.
var metaHeader = regexp.MustCompile("Page expected to be: [01],|page [01]: has unexpected type")

func use(t *testing.T, path string, rnd *rand.Rand, keys, value int, freelist bool) {
	t.Helper()
	db := open(t, path, freelist)
	require.NoError(t, db.View(func(tx *bbolt.Tx) error {
		for err := range tx.Check() {
			if !metaHeader.MatchString(err.Error()) {
				assert.NoError(t, err)
			}
		}
		return nil
	}))
	for range 30 {
		write(t, db, rnd, keys, value)
	}
	require.NoError(t, db.Close())
	require.NoError(t, check(path))
}

func TestSmallFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for _, text := range []string{"", "x", strings.Repeat("x", 100), strings.Repeat("\x00", 4096), strings.Repeat("\xff", 100_000)} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		require.ErrorIs(t, check(path), ErrDamaged, "%d bytes", len(text))
	}
}

func TestCanceled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	db := open(t, path, false)
	write(t, db, rand.New(rand.NewPCG(1, 2)), 10, 10)
	require.NoError(t, db.Close())
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	info, err := file.Stat()
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, Check(ctx, file, info.Size(), "default"), context.Canceled)
	require.ErrorIs(t, ReadAll(ctx, file, info.Size()), context.Canceled)
}

func FuzzCheck(f *testing.F) {
	path := filepath.Join(f.TempDir(), "file")
	for _, shape := range []int{4, 300} {
		db := open(f, path, false)
		write(f, db, rand.New(rand.NewPCG(1, 2)), shape, shape)
		require.NoError(f, db.Close())
		image, err := os.ReadFile(path)
		require.NoError(f, err)
		f.Add(image)
	}
	f.Fuzz(func(t *testing.T, image []byte) {
		if err := Check(t.Context(), bytes.NewReader(image), int64(len(image)), "default"); err != nil {
			require.ErrorIs(t, err, ErrDamaged)
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	for name, value := range map[string]int{"300 B values": 300, "60 kB values": 60_000} {
		b.Run(name, func(b *testing.B) {
			path, rnd := filepath.Join(b.TempDir(), "file"), rand.New(rand.NewPCG(1, 2))
			db := open(b, path, false)
			for size := int64(0); size < 100_000_000; {
				write(b, db, rnd, 1<<40, value)
				info, err := os.Stat(path)
				require.NoError(b, err)
				size = info.Size()
			}
			require.NoError(b, db.Close())
			info, err := os.Stat(path)
			require.NoError(b, err)
			b.SetBytes(info.Size())
			for b.Loop() {
				require.NoError(b, check(path))
			}
		})
	}
}
