package dialect

import (
	"cmp"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect/messages"
	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect/value"
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

// maxProvider is how long the name of a provider may be to be looked up: each of its
// dots costs a look.
const maxProvider = 64

// providerOf is the conventions' name of a provider, by whatever name; suffixes that
// name one of its interfaces (openai.chat) do not matter. One that is not known
// stays as it is.
func providerOf(name string) string {
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

// readProvider reads the name of a provider.
func readProvider(s *Span, f Field, v pcommon.Value) { s.AddText(f, providerOf(value.TextOf(v))) }

// readMillis reads milliseconds as seconds.
func readMillis(s *Span, f Field, v pcommon.Value) {
	var ms float64
	switch v.Type() {
	case pcommon.ValueTypeInt:
		ms = float64(v.Int())
	case pcommon.ValueTypeDouble:
		ms = v.Double()
	default:
		return
	}
	s.AddText(f, formatSeconds(ms/1000))
}

// readMethod reads an MCP method, without what is put around it.
func readMethod(s *Span, f Field, v pcommon.Value) {
	if method, ok := mcpconv.Known(strings.TrimSuffix(value.TextOf(v), ".mcp")); ok {
		s.AddText(f, method)
	}
}

// readTransport reads the transport of MCP as that of the network.
func readTransport(s *Span, f Field, v pcommon.Value) {
	switch value.TextOf(v) {
	case "stdio", "pipe":
		s.AddText(f, "pipe")
	case "http", "sse", "streamable-http", "streamable_http", "websocket", "tcp", "https":
		s.AddText(f, "tcp")
	}
}

// Convert sets the fact to the messages in another one: see [messages.Builder.Convert].
func (s *Span) Convert(to, from Field, role string) {
	if s.Has(to) || !s.Has(from) {
		return
	}
	if text := s.builder.Convert(s.JSON(from), role); text != "" {
		s.SetText(to, text)
		s.Use(from)
	}
}

// flattened sets the fact to the messages whose members are attributes, with keys
// that begin with the dialect's prefix of that index, a number and a middle:
// llm.input_messages.0.message.role.
func (s *Span) flattened(prefix int, to Field, middle, role string) {
	if !s.Saw(prefix) || s.Has(to) {
		return
	}
	var f messages.Flat
	for key, v := range s.Attributes.All() {
		if rest, ok := strings.CutPrefix(key, s.prefixes[prefix]); ok {
			f.Add(rest, middle, value.TextOf(v))
		}
	}
	if text := s.builder.Flattened(&f, role); text != "" {
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

// splitMCP takes the server out of the name of a tool, mcp__server__tool.
func splitMCP(s *Span) {
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

// toolError marks a call whose result says that it failed. What an instrumentation
// made of the result's text is no type of an error.
func toolError(s *Span) {
	if before := s.Text(ErrorType); s.Own(ErrorType) && before != mcpconv.TypeToolError {
		s.replace(ErrorType, mcpconv.TypeToolError)
	}
	s.AddText(ErrorType, mcpconv.TypeToolError)
	s.Failed = true
}

// exception takes the type of the last exception that the span recorded as the
// type of its error.
func exception(s *Span) {
	if s.IsLog {
		return
	}
	for i := s.Events.Len() - 1; i >= 0; i-- {
		event := s.Events.At(i)
		if event.Name() != "exception" {
			continue
		}
		s.AddText(ErrorType, cmp.Or(strIn(event.Attributes(), "exception.type"), mcpconv.TypeOther))
		s.ErrorText, s.Failed = strIn(event.Attributes(), "exception.message"), true
		return
	}
}

// strIn is a string in a map, "" if it is absent or of another type.
func strIn(m pcommon.Map, key string) string {
	if v, ok := m.Get(key); ok && v.Type() == pcommon.ValueTypeStr {
		return v.Str()
	}
	return ""
}

func formatSeconds(seconds float64) string { return strconv.FormatFloat(seconds, 'g', -1, 64) }
