// Command docgen writes the documents that follow from definitions and tests. It runs in the
// root of the repository.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// pages are the documents, and what writes them for a repository.
var pages = map[string]func(root string) (string, error){
	"docs/conformance.md": conformance,
	"docs/metrics.md":     metrics,
}

func main() {
	for file, page := range pages {
		text, err := page(".")
		if err == nil {
			err = os.WriteFile(filepath.FromSlash(file), []byte(text), 0o644)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
