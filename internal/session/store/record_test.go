package store

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Fields that are new have no place in the records of testdata. This adds some
// that have them; those that are there are never written again.
var addRecords = flag.String("add-records", "", "write records with every field to testdata, under names that end like this: -args -add-records=-2")

// The records of testdata were written by this version or earlier ones. They are
// read as they were meant, for ever: a field that finds another one's value has
// taken its number.
func TestStoredRecordsKeepTheirMeaning(t *testing.T) {
	if *addRecords != "" {
		store(t, "session"+*addRecords, fullSession())
		store(t, "call"+*addRecords, fullCall())
	}
	files, err := filepath.Glob("testdata/record-v2-*.cbor")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 2)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			want, err := os.ReadFile(strings.TrimSuffix(file, ".cbor") + ".json")
			require.NoError(t, err)
			var r RecordData
			require.NoError(t, r.Unmarshal(data))
			assert.JSONEq(t, string(want), dump(t, &r))
		})
	}
}

// What is written is read back, whatever it is.
func TestEveryFieldIsStored(t *testing.T) {
	for _, r := range []*RecordData{fullSession(), fullCall(), fullPart()} {
		data, err := r.Marshal()
		require.NoError(t, err)
		var back RecordData
		require.NoError(t, back.Unmarshal(data))
		assert.Equal(t, r, &back)
	}
}

func store(t *testing.T, name string, r *RecordData) {
	t.Helper()
	path := filepath.Join("testdata", "record-v2-"+name)
	require.NoFileExists(t, path+".cbor", "it is not to be written again")
	data, err := r.Marshal()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path+".cbor", data, 0o600))
	require.NoError(t, os.WriteFile(path+".json", []byte(dump(t, r)+"\n"), 0o600))
}

func fullSession() *RecordData {
	r := &RecordData{}
	fill(reflect.ValueOf(r).Elem(), "", new(int64))
	r.Format, r.Call, r.Former = Format, nil, nil
	r.Name, r.ByConnection, r.Part = "", false, nil
	r.Session.Phase.Name = "thinking"
	return r
}

func fullCall() *RecordData {
	r := &RecordData{}
	fill(reflect.ValueOf(r).Elem(), "", new(int64))
	r.Format, r.Session = Format, nil
	r.Seen, r.Alive, r.Facts, r.Part = 0, 0, nil, nil
	r.Call.Parked.Kind, r.Call.Poll.Kind = ParkedRound, ParkedTool
	return r
}

func fullPart() *RecordData {
	r := &RecordData{Format: Format}
	fill(reflect.ValueOf(&r.Part).Elem(), "Part", new(int64))
	return r
}

// fill sets everything in v to values of their own; texts are their own paths.
func fill(v reflect.Value, path string, n *int64) {
	*n++
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), strings.TrimPrefix(path+"."+v.Type().Field(i).Name, "."), n)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), path, n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fillAll(v, path, n)
	case reflect.Array:
		fillAll(v, path, n)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf(path+" key"), reflect.ValueOf(path+" value"))
	default:
		fillScalar(v, path, *n)
	}
}

func fillAll(v reflect.Value, path string, n *int64) {
	for i := range v.Len() {
		fill(v.Index(i), path+"["+string(rune('0'+i%10))+"]", n)
	}
}

func fillScalar(v reflect.Value, path string, n int64) {
	switch {
	case v.CanInt():
		v.SetInt(n)
	case v.CanUint():
		v.SetUint(uint64(n)%255 + 1)
	case v.CanFloat():
		v.SetFloat(float64(n) + 0.5)
	case v.Kind() == reflect.Bool:
		v.SetBool(true)
	case v.Kind() == reflect.String:
		v.SetString(path)
	default:
		panic("no value for " + path)
	}
}

// dump is the record in JSON, by the names of fields, without those that have
// their zero value.
func dump(t *testing.T, r *RecordData) string {
	t.Helper()
	text, err := json.MarshalIndent(plain(reflect.ValueOf(r)), "", "  ")
	require.NoError(t, err)
	return string(text)
}

func plain(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Pointer:
		return plain(v.Elem())
	case reflect.Struct:
		members := map[string]any{}
		for i := range v.NumField() {
			if f := v.Field(i); !f.IsZero() {
				members[v.Type().Field(i).Name] = plain(f)
			}
		}
		return members
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return fmt.Sprint(v.Interface()) // an id in hex
		}
		all := make([]any, v.Len())
		for i := range all {
			all[i] = plain(v.Index(i))
		}
		return all
	}
	return v.Interface()
}

// What is payload is nowhere in what is left; names, sizes and times are.
func TestDropPayloads(t *testing.T) {
	s, c := fullSession(), fullCall()
	c.Former = nil // of which only names are stored
	s.Session.DropPayloads()
	c.Call.DropPayloads()
	left := dump(t, s) + dump(t, c)
	for _, payload := range []string{
		"ErrorText", "Host.Task", "Task", "Spawned", "Prompt", "Schema", "Agent.Input", "Title",
		"Content.Input", "Content.Text", "Preference", "Envelope", "Content.Output", "TaskText", "Message",
	} {
		assert.NotRegexp(t, `"[^"]*\b`+payload+`"\s*[,}\n]`, left)
	}
	assert.Contains(t, left, "Target")
}
