package jsonscan

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestMaskSecrets(t *testing.T) {
	for text, want := range map[string]string{
		`{"delivery":{"url":"u", "secret" : "whsec_\"a\\"},"secret":"b"}`: `{"delivery":{"url":"u", "secret" : "****"},"secret":"****"}`,
		`{"secret":null,"secrets":"c","x":"secret"}`:                      `{"secret":null,"secrets":"c","x":"secret"}`,
		`{"\u0073ecret":"d"}`: `{"\u0073ecret":"****"}`,
		`{}`:                  `{}`,
	} {
		assert.Equal(t, want, MaskSecrets(text))
	}
}
