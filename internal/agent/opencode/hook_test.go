package opencode

import (
	"testing"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/hook/hooktest"
)

func TestHooks(t *testing.T) { hooktest.Files(t, &Decoder{}) }

func FuzzHooks(f *testing.F) { hooktest.Fuzz(f, &Decoder{}) }
