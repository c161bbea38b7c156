package events

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// The npm package that servers in TypeScript sign with.
func TestSignaturesOfStandardwebhooks(t *testing.T) {
	peers := filepath.Join(harness.Root, "test", "peers")
	if !harness.IsFile(filepath.Join(peers, "node_modules", "standardwebhooks", "package.json")) {
		harness.Missing(t, "the npm packages of test/peers are not installed")
	}
	stamp := time.Now().Unix()
	texts := []string{vectorSecret, highStandard, generateSecret(), generateSecret()}
	bodies := []string{vectorBody, `{"a":"€ 𝄞"}`, "{}", " {\n}"}
	var in bytes.Buffer
	encoder := json.NewEncoder(&in)
	for i := range texts {
		require.NoError(t, encoder.Encode(map[string]any{"secret": texts[i], "id": "ev-1", "timestamp": stamp, "body": bodies[i]}))
	}
	require.NoError(t, encoder.Encode(map[string]any{"secret": vectorSecret, "id": "ev-0042", "timestamp": json.Number(vectorStamp), "body": vectorBody}))
	cmd := exec.Command(harness.LookPath(t, "node"), "sign.mjs")
	cmd.Dir, cmd.Stdin = peers, &in
	out, err := cmd.Output()
	require.NoError(t, err)
	signatures := strings.Fields(string(out))
	require.Len(t, signatures, len(texts)+1)
	for i, signature := range signatures[:len(texts)] {
		h := http.Header{}
		h.Set("webhook-id", "ev-1")
		h.Set("webhook-timestamp", strconv.FormatInt(stamp, 10))
		h.Set("webhook-signature", signature)
		assert.True(t, newSigningKey(texts[i], Base64).Verify(h, []byte(bodies[i])), i)
	}
	assert.Equal(t, "v1,ri0SZTL4ONXBjhJlLN/oHc6bNAyOFvyCLr87RE5uvdg=", signatures[len(texts)])
}
