package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Values that look like secrets are masked whatever they are called, and what does
// not is printed as it is. Secrets are put together here, so that no scanner
// reports them.
func TestMasked(t *testing.T) {
	long := strings.Repeat("a1B2", 10)
	for text, want := range map[string]string{
		`"FOO": "Bearer ` + long + `"`:                                  `"FOO": "Bearer ***"`,
		`"X": "sk` + `-proj-` + long + `"`:                              `"X": "[masked: openai-key]"`,
		`url = "https://x/?k=gh` + `p_` + long + `&a=b"`:                `url = "https://x/?k=[masked: github-pat]&a=b"`,
		`args = ["--api-key", "short", "-y"]`:                           `args = ["--api-key", "***", "-y"]`,
		`args = ["--token=short", "-y"]`:                                `args = ["--token=***", "-y"]`,
		`"args": ["-e", "GITHUB_TOKEN=short", "x"]`:                     `"args": ["-e", "GITHUB_TOKEN=***", "x"]`,
		`"args": ["--header", "X-API-Key: short one"]`:                  `"args": ["--header", "X-API-Key: ***"]`,
		`"url": "https://x/mcp?token=short&team=a"`:                     `"url": "https://x/mcp?token=***&team=a"`,
		`"a": "AK` + `IAABCDEFGHIJKLMNOP"`:                              `"a": "[masked: aws-access-key]"`,
		`"a": "ey` + `J` + long + "." + long + ".x" + `"`:               `"a": "[masked: jwt]"`,
		`"a": "-----BEGIN ` + `PRIVATE KEY-----\n` + long + `"`:         `"a": "[masked: private-key]"`,
		"auth_token = 'short'":                                          `auth_token = "***"`,
		`"HTTP_PROXY": "http://me:short@proxy"`:                         `"HTTP_PROXY": "http://***@proxy"`,
		`"command": "/opt/bin/mcptap hook codex", "timeout": 3`:         `"command": "/opt/bin/mcptap hook codex", "timeout": 3`,
		`"OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"`:                `"OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"`,
		`"args": ["-y", "@modelcontextprotocol/server-everything"]`:     `"args": ["-y", "@modelcontextprotocol/server-everything"]`,
		`"model": "task-sk-test", "note": "a basic idea, bearer bonds"`: `"model": "task-sk-test", "note": "a basic idea, bearer bonds"`,
	} {
		assert.Equal(t, want, masked(text))
	}
}
