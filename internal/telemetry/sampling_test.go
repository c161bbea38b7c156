package telemetry

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A provider is written only where the model's name makes it certain.
func TestProviderOf(t *testing.T) {
	for model, want := range map[string]string{
		"claude-sonnet-4-5": "anthropic", "gpt-5": "openai", "o3-mini": "openai", "grok-4": "x_ai", "mistral-large": "mistral_ai",
		"gemini-2.5-pro": "", "claude-sonnet-4@20250514": "", "anthropic/claude-3": "", "anthropic.claude-3-v2:0": "", "llama3": "", "": "",
	} {
		assert.Equal(t, want, providerOf(model), model)
	}
}
