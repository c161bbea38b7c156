package checkedstorage

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"

	"go.opentelemetry.io/collector/component"
)

// longestName is what file systems take.
const longestName = 255

// pathOf is the file that file_storage opens for a client. Its README says how
// files are called; a test holds the two together.
func pathOf(directory string, kind component.Kind, id component.ID, name string) string {
	parts := []string{strings.ToLower(kind.String()), id.Type().String(), id.Name()}
	if name != "" {
		parts = append(parts, name)
	}
	var file strings.Builder
	for _, r := range strings.Join(parts, "_") {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-", r) {
			file.WriteRune(r)
		} else {
			fmt.Fprintf(&file, "~%04X", r)
		}
	}
	if file.Len() > longestName {
		sum := sha256.Sum256([]byte(file.String()))
		return filepath.Join(directory, hex.EncodeToString(sum[:]))
	}
	return filepath.Join(directory, file.String())
}
