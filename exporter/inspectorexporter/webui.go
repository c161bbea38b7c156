package inspectorexporter

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"strings"
	"time"
)

// built is the web UI as Vite wrote it from ui/.
//
//go:embed all:ui/dist
var built embed.FS

// asset is one file of the web UI.
type asset struct {
	name string
	body []byte
	tag  string
}

// assets are the files by the path behind /_inspector/ui.
func assets() map[string]*asset {
	const root = "ui/dist"
	found := map[string]*asset{}
	err := fs.WalkDir(built, root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := built.ReadFile(path)
		sum := sha256.Sum256(body)
		name := strings.TrimPrefix(path, root)
		found[name] = &asset{name, body, `"` + hex.EncodeToString(sum[:8]) + `"`}
		return err
	})
	if err != nil { // what is embedded can be read
		panic(err)
	}
	found[""], found["/"] = found["/index.html"], found["/index.html"]
	return found
}

// webUI serves the web UI and its files.
func webUI() http.Handler {
	files := assets()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		file := files[strings.TrimPrefix(r.URL.Path, "/_inspector/ui")]
		if file == nil {
			refuse(w, http.StatusNotFound, "the web UI has no such file")
			return
		}
		w.Header().Set("ETag", file.tag)
		http.ServeContent(w, r, file.name, time.Time{}, bytes.NewReader(file.body))
	})
}
