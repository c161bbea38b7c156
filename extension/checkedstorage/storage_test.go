package checkedstorage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/extension/storage/filestorage"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/otelcol-mcp/otelcol-mcp/extension/checkedstorage/internal/metadatatest"
)

var receiverID = component.MustNewIDWithName("mcp", "a")

// fixture is an extension and what it says.
type fixture struct {
	storage.Extension
	dir  string
	tel  *componenttest.Telemetry
	logs *observer.ObservedLogs
}

func newFixture(t *testing.T, dir string, change func(*Config)) *fixture {
	t.Helper()
	cfg := createDefaultConfig().(*Config)
	cfg.Directory, cfg.Timeout = dir, 200*time.Millisecond
	if change != nil {
		change(cfg)
	}
	f := &fixture{dir: dir, tel: componenttest.NewTelemetry()}
	set := metadatatest.NewSettings(f.tel)
	core, logs := observer.New(zap.DebugLevel)
	f.logs = logs
	set.Logger = zap.New(core)
	created, err := NewFactory().Create(t.Context(), set, cfg)
	require.NoError(t, err)
	f.Extension = created.(storage.Extension)
	require.NoError(t, f.Start(t.Context(), componenttest.NewNopHost()))
	t.Cleanup(func() {
		assert.NoError(t, f.Shutdown(context.Background()))
		assert.NoError(t, f.tel.Shutdown(context.Background()))
	})
	return f
}

func (f *fixture) client(t *testing.T) storage.Client {
	t.Helper()
	c, err := f.GetClient(t.Context(), component.KindReceiver, receiverID, "")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Close(context.Background())) })
	return c
}

func (f *fixture) path() string { return pathOf(f.dir, component.KindReceiver, receiverID, "") }

func (f *fixture) corrupt(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob(f.path() + corruptMark + "*")
	require.NoError(t, err)
	return names
}

// written is a directory in which a client has written, and its file.
func written(t *testing.T) (dir, path string) {
	t.Helper()
	f := newFixture(t, t.TempDir(), nil)
	c := f.client(t)
	for i := range 1000 {
		require.NoError(t, c.Set(t.Context(), strconv.Itoa(i), []byte(strings.Repeat("v", 100))))
	}
	require.NoError(t, c.Close(t.Context()))
	return f.dir, f.path()
}

// The file that is checked is the one that file_storage opens.
func TestNames(t *testing.T) {
	f := newFixture(t, t.TempDir(), nil)
	for _, kind := range []component.Kind{
		component.KindReceiver, component.KindProcessor, component.KindExporter, component.KindConnector, component.KindExtension,
	} {
		for _, id := range []component.ID{component.MustNewID("a"), component.MustNewIDWithName("b_c", "d/~ ü%3"), component.MustNewIDWithName("e", strings.Repeat("long", 200))} {
			for _, name := range []string{"", "traces", "../x"} {
				c, err := f.GetClient(t.Context(), kind, id, name)
				require.NoError(t, err)
				assert.FileExists(t, pathOf(f.dir, kind, id, name))
				require.NoError(t, c.Close(t.Context()))
			}
		}
	}
	entries, err := os.ReadDir(f.dir)
	require.NoError(t, err)
	assert.Len(t, entries, 45, "and no other")
}

func TestDamagedFileIsSetAside(t *testing.T) {
	for name, change := range map[string]func([]byte) []byte{
		"nothing":  func([]byte) []byte { return nil },
		"cut":      func(b []byte) []byte { return b[:len(b)/2] },
		"zeros":    func(b []byte) []byte { clear(b); return b },
		"no metas": func(b []byte) []byte { clear(b[:8192]); return b },
		"text":     func([]byte) []byte { return []byte("text") },
	} {
		t.Run(name, func(t *testing.T) {
			dir, path := written(t)
			image, err := os.ReadFile(path)
			require.NoError(t, err)
			image = change(image)
			require.NoError(t, os.WriteFile(path, image, 0o600))
			f := newFixture(t, dir, nil)
			c := f.client(t)
			value, err := c.Get(t.Context(), "1")
			require.NoError(t, err)
			assert.Nil(t, value)
			require.NoError(t, c.Set(t.Context(), "1", []byte("new")))
			kept := f.corrupt(t)
			require.Len(t, kept, 1)
			has, err := os.ReadFile(kept[0])
			require.NoError(t, err)
			assert.Len(t, has, len(image), "as it was")
			said := f.logs.FilterLevelExact(zap.ErrorLevel).All()
			require.Len(t, said, 1)
			assert.Equal(t, path, said[0].ContextMap()["file"])
			assert.Equal(t, kept[0], said[0].ContextMap()["kept_as"])
			assert.Contains(t, said[0].ContextMap()["error"], "the file is damaged")
			metadatatest.AssertEqualCheckedFileStorageCorruptFiles(t, f.tel, []metricdata.DataPoint[int64]{{Value: 1}}, metricdatatest.IgnoreTimestamp())
		})
	}
}

func TestWholeFileIsLeftAlone(t *testing.T) {
	dir, _ := written(t)
	f := newFixture(t, dir, nil)
	value, err := f.client(t).Get(t.Context(), "999")
	require.NoError(t, err)
	assert.Equal(t, strings.Repeat("v", 100), string(value))
	assert.Empty(t, f.corrupt(t))
	assert.Zero(t, f.logs.FilterLevelExact(zap.ErrorLevel).Len())
}

func TestFewDamagedFilesAreKept(t *testing.T) {
	dir := t.TempDir()
	for i := range 6 {
		f := newFixture(t, dir, nil)
		require.NoError(t, os.WriteFile(f.path(), fmt.Appendf(nil, "damaged %d", i), 0o600))
		require.NoError(t, f.client(t).Close(t.Context()))
	}
	kept := newFixture(t, dir, nil).corrupt(t)
	require.Len(t, kept, keptFiles)
	for i, name := range kept {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		assert.Equal(t, fmt.Sprintf("damaged %d", 3+i), string(text), "the newest")
	}
}

// What another process has open is not damaged, whatever it looks like now.
func TestFileInUse(t *testing.T) {
	f := newFixture(t, t.TempDir(), nil)
	_ = f.client(t)
	_, err := f.GetClient(t.Context(), component.KindReceiver, receiverID, "")
	require.EqualError(t, err, "storage file "+f.path()+" is in use by another process: give each collector a directory of its own")
	assert.Empty(t, f.corrupt(t))
}

func TestDirectoryInPlaceOfTheFile(t *testing.T) {
	f := newFixture(t, t.TempDir(), nil)
	require.NoError(t, os.Mkdir(f.path(), 0o700))
	_, err := f.GetClient(t.Context(), component.KindReceiver, receiverID, "")
	require.EqualError(t, err, "storage file "+f.path()+" is a directory: move it away")
}

// A check that takes too long is no reason not to start.
func TestCheckTimeout(t *testing.T) {
	dir, _ := written(t)
	f := newFixture(t, dir, func(c *Config) { c.CheckTimeout = 1 })
	value, err := f.client(t).Get(t.Context(), "999")
	require.NoError(t, err)
	assert.NotNil(t, value)
	assert.Equal(t, 1, f.logs.FilterMessageSnippet("without a full check").Len())
}

// What file_storage wrote is read as it is.
func TestFilesOfFileStorage(t *testing.T) {
	dir := t.TempDir()
	plain := filestorage.NewFactory().CreateDefaultConfig().(*filestorage.Config)
	plain.Directory = dir
	set := metadatatest.NewSettings(componenttest.NewTelemetry())
	set.ID = component.MustNewID("file_storage")
	created, err := filestorage.NewFactory().Create(t.Context(), set, plain)
	require.NoError(t, err)
	c, err := created.(storage.Extension).GetClient(t.Context(), component.KindReceiver, receiverID, "")
	require.NoError(t, err)
	require.NoError(t, c.Set(t.Context(), "key", []byte("a value of file_storage")))
	require.NoError(t, c.Set(t.Context(), "short", []byte("x")))
	require.NoError(t, c.Close(t.Context()))

	checked := newFixture(t, dir, nil).client(t)
	for key, want := range map[string]string{"key": "a value of file_storage", "short": "x"} {
		value, err := checked.Get(t.Context(), key)
		require.NoError(t, err)
		assert.Equal(t, want, string(value))
	}
}

// broken is a client below, whose values a test changes.
type broken struct {
	storage.Client
	values map[string][]byte
	err    error
}

func (b *broken) Batch(_ context.Context, ops ...*storage.Operation) error {
	for _, op := range ops {
		switch op.Type {
		case storage.Get:
			op.Value = b.values[op.Key]
		case storage.Set:
			b.values[op.Key] = op.Value
		case storage.Delete:
			delete(b.values, op.Key)
		}
	}
	return b.err
}

func TestDamagedValues(t *testing.T) {
	f := newFixture(t, t.TempDir(), nil)
	below := &broken{values: map[string][]byte{}}
	c := &client{Client: below, lost: f.Extension.(*checkedStorage).lostValue("file")}
	set := storage.SetOperation("key", []byte("value"))
	require.NoError(t, c.Batch(t.Context(), set, storage.SetOperation("other", nil)))
	assert.Equal(t, "value", string(set.Value), "the caller's stays as it is")
	one, other, none := storage.GetOperation("key"), storage.GetOperation("other"), storage.GetOperation("none")
	require.NoError(t, c.Batch(t.Context(), one, other, none))
	assert.Equal(t, "value", string(one.Value))
	assert.Equal(t, []byte{}, other.Value)
	assert.Nil(t, none.Value)

	whole := string(below.values["key"])
	for bit := range len("value") * 8 {
		damaged := []byte(whole)
		damaged[bit/8] ^= 1 << (bit % 8)
		below.values["key"] = damaged
		require.NoError(t, c.Batch(t.Context(), one))
		assert.Nil(t, one.Value, "bit %d", bit)
	}
	below.values["other"] = []byte(whole)
	require.NoError(t, c.Batch(t.Context(), other))
	assert.Nil(t, other.Value, "the value of another key")
	metadatatest.AssertEqualCheckedFileStorageCorruptValues(t, f.tel, []metricdata.DataPoint[int64]{{Value: 41}}, metricdatatest.IgnoreTimestamp())
	for _, entry := range f.logs.All() {
		assert.NotContains(t, fmt.Sprint(entry.ContextMap()), "value", "no payload in a log line")
	}
	below.err = errors.New("the disk is gone")
	require.ErrorIs(t, c.Batch(t.Context(), one), below.err)
}

func TestWalk(t *testing.T) {
	c := newFixture(t, t.TempDir(), nil).client(t)
	require.NoError(t, c.Set(t.Context(), "a", []byte("1")))
	require.NoError(t, c.Set(t.Context(), "b", []byte("2")))
	seen := map[string]string{}
	require.NoError(t, c.(storage.Walker).Walk(t.Context(), func(key string, value []byte) ([]*storage.Operation, error) {
		seen[key] = string(value)
		return []*storage.Operation{storage.SetOperation(key, []byte("new "+string(value)))}, nil
	}))
	assert.Equal(t, map[string]string{"a": "1", "b": "2"}, seen)
	value, err := c.Get(t.Context(), "b")
	require.NoError(t, err)
	assert.Equal(t, "new 2", string(value))
}
