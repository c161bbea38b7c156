package docs

import (
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	link   = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	fenced = regexp.MustCompile("(?ms)^ *```.*?\n *```")
	title  = regexp.MustCompile(`(?m)^#+ +(.+)$`)
	gone   = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// anchors are the names by which the headings of a document can be linked to.
func anchors(text string) map[string]bool {
	found := map[string]bool{}
	for _, heading := range title.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
		plain := gone.ReplaceAllString(strings.ToLower(heading[1]), "")
		found[strings.ReplaceAll(plain, " ", "-")] = true
	}
	return found
}

// others are folders whose documents are not ours.
var others = map[string]bool{".git": true, "node_modules": true, "testdata": true, "build": true, "bin": true}

// documents are all Markdown files of the repository.
func documents(t *testing.T) (files []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && others[entry.Name()]:
			return fs.SkipDir
		case filepath.Ext(file) == ".md":
			name, err := filepath.Rel(root, file)
			files = append(files, name)
			return err
		}
		return nil
	}))
	return files
}

// TestLinks: links within the repository lead to a file, and to a heading in it.
func TestLinks(t *testing.T) {
	files := documents(t)
	require.Contains(t, files, "README.md")
	for _, file := range files {
		for _, match := range link.FindAllStringSubmatch(fenced.ReplaceAllString(read(t, file), ""), -1) {
			target, err := url.Parse(match[1])
			if assert.NoError(t, err, "%s", file) && target.Scheme == "" {
				checkLink(t, file, target)
			}
		}
	}
}

func checkLink(t *testing.T, file string, target *url.URL) {
	t.Helper()
	to := file
	if target.Path != "" {
		to = filepath.Join(filepath.Dir(file), target.Path)
	}
	if _, err := os.Stat(filepath.Join(root, to)); !assert.NoError(t, err, "link in %s", file) || target.Fragment == "" {
		return
	}
	assert.Contains(t, anchors(read(t, to)), target.Fragment, "link in %s to a heading of %s", file, to)
}
