package main

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"a\tb\r\n":       "a\tb\r\n",
		"\x1b[2Ja\a\x7f": `\u001b[2Ja\u0007\u007f`,
		"\u009b2J\r":     `\u009b2J\u000d`,
		"\x9b2J":         "\ufffd2J",
		"\u202eabc":      `\u202eabc`,
		"Zürich \ufffd":  "Zürich \ufffd",
	} {
		var b bytes.Buffer
		n, err := printable{&b}.Write([]byte(text))
		require.NoError(t, err)
		assert.Len(t, text, n)
		assert.Equal(t, want, b.String())
	}
	text, err := json.Marshal("a\u009bb")
	require.NoError(t, err)
	var back string
	require.NoError(t, json.Unmarshal([]byte(escaped(string(text))), &back))
	assert.Equal(t, "a\u009bb", back)
}
