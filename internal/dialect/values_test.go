package dialect

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestProviderOf(t *testing.T) {
	assert.Equal(t, "openai", ProviderOf("OpenAI.chat"))
	assert.Equal(t, "somebody", ProviderOf("somebody"))
	long := "openai" + strings.Repeat(".", maxProvider)
	assert.Equal(t, long, ProviderOf(long), "each dot would cost a look")
}
