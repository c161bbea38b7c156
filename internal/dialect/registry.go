package dialect

import "strings"

// All returns the dialects in the order in which they are tried: the first that is
// recognised counts. The last one are former names of the conventions themselves.
func All() []*Dialect {
	return []*Dialect{
		&claudeCode,
		&codex,
		&geminiCLI,
		&copilot,
		&openInference,
		&openLLMetry,
		&langfuse,
		&adk,
		&vercel,
		&vercelOTel,
		&springAI,
		&mastra,
		&genkit,
		&fastMCP,
		&cSharp,
		&pythonSDK,
		&logfire,
		&envoy,
		&toolHive,
		&agentgateway,
		&mcpGo,
		&docker,
		&mcpCat,
		&mcpSnoop,
		&openLIT,
		&inspector,
		&traceloop,
		&semconv,
	}
}

// Names are the names of all dialects, in the order of [All].
func Names() (names []string) {
	for _, d := range All() {
		names = append(names, d.Name)
	}
	return names
}

// Payloads are the keys under which dialects have what people, models and tools said.
// One that ends in * begins keys that go on with a number, as those of messages do.
func Payloads() (keys []string) {
	for _, d := range All() {
		for _, k := range d.Keys {
			// A key of one word may be anybody's.
			if k.To.Payload() && strings.ContainsAny(k.From, ".:") {
				keys = append(keys, k.From)
			}
		}
		for _, prefix := range d.Prefixes {
			keys = append(keys, prefix+"*")
		}
		keys = append(keys, d.Contents...)
	}
	return keys
}
