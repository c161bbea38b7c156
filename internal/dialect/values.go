package dialect

import (
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect/messages"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// providers are the values of gen_ai.provider.name by what others call them.
var providers = map[string]string{
	"openai": "openai", "openai-responses": "openai", "anthropic": "anthropic", "cohere": "cohere", "deepseek": "deepseek", "groq": "groq", "perplexity": "perplexity",
	"azure": "azure.ai.openai", "azure-openai": "azure.ai.openai", "azure_openai": "azure.ai.openai", "az.ai.openai": "azure.ai.openai",
	"az.ai.inference": "azure.ai.inference", "azure_ai_inference": "azure.ai.inference",
	"bedrock": "aws.bedrock", "aws": "aws.bedrock", "aws_bedrock": "aws.bedrock", "amazon-bedrock": "aws.bedrock", "aws.bedrock": "aws.bedrock",
	"gemini": "gcp.gemini", "google": "gcp.gemini", "google.generative-ai": "gcp.gemini", "google_genai": "gcp.gemini", "googleai": "gcp.gemini",
	"vertexai": "gcp.vertex_ai", "vertex_ai": "gcp.vertex_ai", "google.vertex": "gcp.vertex_ai", "gcp.vertex.agent": "gcp.vertex_ai",
	"mistral": "mistral_ai", "mistralai": "mistral_ai", "mistral_ai": "mistral_ai", "watsonx": "ibm.watsonx.ai", "ibm": "ibm.watsonx.ai",
	"xai": "x_ai", "x_ai": "x_ai",
}

// maxProvider bounds the name of a provider that is looked up, in bytes: each of its
// dots costs a look.
const maxProvider = 64

// ProviderOf is the conventions' name of a provider, by whatever name; suffixes that
// name one of its interfaces (openai.chat) do not matter. One that is not known
// stays as it is.
func ProviderOf(name string) string {
	if len(name) > maxProvider {
		return name
	}
	lower := strings.ToLower(name)
	for key := lower; key != ""; {
		if known, ok := providers[key]; ok {
			return known
		}
		i := strings.LastIndexByte(key, '.')
		if i < 0 {
			break
		}
		key = key[:i]
	}
	return name
}

// ReadProvider reads the name of a provider.
func ReadProvider(s *Span, f Field, v pcommon.Value) { s.AddText(f, ProviderOf(TextOf(v))) }

// ReadMillis reads a number of milliseconds as seconds.
func ReadMillis(s *Span, f Field, v pcommon.Value) {
	var ms float64
	switch v.Type() {
	case pcommon.ValueTypeInt:
		ms = float64(v.Int())
	case pcommon.ValueTypeDouble:
		ms = v.Double()
	default:
		return
	}
	s.AddText(f, FormatNumber(ms/1000))
}

// ReadMethod reads an MCP method, without what is put around it.
func ReadMethod(s *Span, f Field, v pcommon.Value) {
	if method, ok := mcpconv.Known(strings.TrimSuffix(TextOf(v), ".mcp")); ok {
		s.AddText(f, method)
	}
}

// ReadTransport reads the transport of MCP as that of the network.
func ReadTransport(s *Span, f Field, v pcommon.Value) {
	switch TextOf(v) {
	case "stdio", "pipe":
		s.AddText(f, "pipe")
	case "http", "sse", "streamable-http", "streamable_http", "websocket", "tcp", "https":
		s.AddText(f, "tcp")
	}
}

// ReadToolClass reads the name of a class as the type of a tool.
func ReadToolClass(s *Span, f Field, v pcommon.Value) {
	switch class := TextOf(v); {
	case class == "":
	case class == mcpconv.ToolTypeMCP, class == mcpconv.ToolTypeFunction, class == "datastore":
		s.take(f, v, 0)
	case strings.EqualFold(class, "MCPTool"), strings.EqualFold(class, "MCPToolset"):
		s.Replace(f, mcpconv.ToolTypeMCP)
	default:
		s.Replace(f, mcpconv.ToolTypeFunction)
	}
}

// Convert sets the fact to the messages in another one: see [messages.Builder.Convert].
func (s *Span) Convert(to, from Field, role string) {
	if s.NoMessages || s.Has(to) || !s.Has(from) {
		return
	}
	if text := s.Builder.Convert(s.JSON(from), role); text != "" {
		s.SetText(to, text)
		s.Use(from)
	}
}

// Flattened sets the fact to the messages whose members are attributes, with keys
// that begin with the dialect's prefix of that index, a number and a middle:
// llm.input_messages.0.message.role.
func (s *Span) Flattened(prefix int, to Field, middle, role string) {
	if s.NoMessages || !s.Saw(prefix) || s.Has(to) {
		return
	}
	s.flat.Reset()
	for key, v := range s.Attributes.All() {
		if rest, ok := strings.CutPrefix(key, s.prefixes[prefix]); ok {
			s.flat.Add(rest, middle, TextOf(v))
		}
	}
	if text := s.Builder.Flattened(&s.flat, role); text != "" {
		s.SetText(to, text)
		s.spent |= 1 << prefix
	}
}

// Instructions sets the system's instructions: parts of a text.
func (s *Span) Instructions(text string) {
	if text != "" && len(text) <= messages.MaxInput && s.free(System) && !s.Own(System) {
		out := append([]byte(nil), `[{"type":"text","content":`...)
		s.SetText(System, string(append(messages.AppendQuoted(out, text), `}]`...)))
	}
}

// SplitMCP takes the server out of the name of a tool, mcp__server__tool.
func SplitMCP(s *Span) {
	rest, ok := strings.CutPrefix(s.Text(ToolName), "mcp__")
	if !ok {
		return
	}
	if server, tool, ok := strings.Cut(rest, "__"); ok && server != "" && tool != "" {
		s.SetText(ToolName, tool)
		s.AddText(ServerName, server)
		s.SetText(ToolType, mcpconv.ToolTypeMCP)
	}
}

// FormatNumber writes a number in the shortest way that reads back as the same.
func FormatNumber(number float64) string { return strconv.FormatFloat(number, 'g', -1, 64) }
