package component

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"go.opentelemetry.io/collector/confmap"
)

// invalidKeys matches confmap's report of keys that a configuration does not have.
var invalidKeys = regexp.MustCompile(`'([^']*)' has invalid keys: ([^\n]+)`)

// Unmarshal decodes the configuration of a component, as its method of that name. An error about a key that
// does not exist also names the nearest one that does.
func Unmarshal(conf *confmap.Conf, cfg any) error {
	err := conf.Unmarshal(cfg)
	if err == nil {
		return nil
	}
	known := keysOf(reflect.TypeOf(cfg), "", "")
	var meant []string
	for _, found := range invalidKeys.FindAllStringSubmatch(err.Error(), -1) {
		for key := range strings.SplitSeq(found[2], ", ") {
			if near := nearestKey(found[1], key, known); near != "" {
				meant = append(meant, near)
			}
		}
	}
	if len(meant) == 0 {
		return err
	}
	return errors.Join(err, fmt.Errorf("do you mean %s?", strings.Join(meant, ", ")))
}

// knownKey is a key that a type has: its path, as in capture::payloads, and how confmap names what it is in.
type knownKey struct {
	path, last string
	parents    [2]string // the key above it, and the type
}

// keysOf lists the keys of a type below a path; owner is the type that squashes it, if one does.
func keysOf(of reflect.Type, path, owner string, around ...reflect.Type) (all []knownKey) {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct || slices.Contains(around, of) {
		return nil
	}
	around = append(slices.Clone(around), of)
	owner = cmp.Or(owner, of.String())
	above := path[strings.LastIndex(path, ":")+1:]
	for f := range of.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("mapstructure"), ",")
		switch {
		case options == "squash":
			all = append(all, keysOf(f.Type, path, owner, around...)...)
		case of.PkgPath() == "go.opentelemetry.io/collector/config/configoptional":
			all = append(all, keysOf(f.Type, path, "", around...)...)
		case name != "" && name != "-":
			below := strings.TrimPrefix(path+"::"+name, "::")
			all = append(all, knownKey{below, name, [2]string{above, owner}})
			all = append(all, keysOf(f.Type, below, "", around...)...)
		}
	}
	return all
}

// nearestKey returns the path of the key that is most like a word or begins with it, "" if none is. Keys of the
// same parent come first, and may differ by a letter more.
func nearestKey(parent, word string, known []knownKey) string {
	best, least := "", len(word)/3+2
	for _, siblings := range []bool{true, false} {
		for _, key := range known {
			letters := levenshtein.ComputeDistance(word, key.last)
			if strings.HasPrefix(key.last, word) {
				letters = 1
			}
			if letters < least && slices.Contains(key.parents[:], parent) == siblings {
				best, least = key.path, letters
			}
		}
		if best != "" {
			return best
		}
		least--
	}
	return ""
}
