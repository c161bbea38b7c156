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

// What is reported counts before what a name says, and the model that answered before the requested one.
func TestModelProvider(t *testing.T) {
	assert.Equal(t, "aws.bedrock", modelProvider("claude-sonnet-4-5", "claude-sonnet-4-5", "aws.bedrock"))
	assert.Equal(t, "anthropic", modelProvider("sonnet", "claude-sonnet-4-5", ""))
	assert.Equal(t, "openai", modelProvider("gpt-5", "", ""))
	assert.Empty(t, modelProvider("gpt-5", "llama3", ""))
}
