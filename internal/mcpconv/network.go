package mcpconv

// Network returns how messages of a transport travel in the words of the semantic conventions:
// network.transport and network.protocol.name, "" for what is not known.
func Network(carrier string) (transport, protocol string) {
	switch carrier {
	case "stdio":
		return "pipe", ""
	case "http", "sse", "streamable_http":
		return "tcp", "http"
	case "websocket":
		return "tcp", "websocket"
	}
	return "", ""
}

// What counters of tokens say of their kind.
const (
	GenAITokenModality = "gen_ai.token.modality"
	ModalityUnknown    = "unknown" // agents do not tell texts from images
)
