package dialect

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestProviderOf(t *testing.T) {
	assert.Equal(t, "openai", providerOf("OpenAI.chat"))
	assert.Equal(t, "somebody", providerOf("somebody"))
	long := "openai" + strings.Repeat(".", maxProvider)
	assert.Equal(t, long, providerOf(long), "each dot would cost a look")
}
