package mcpserver

import (
	"context"
	_ "embed"
	"encoding/json"
	"math"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// serverName is the server's name in its answers.
const serverName = "otelcol-mcp"

const instructions = `This server watches agents; it has nothing else to offer. ` +
	`Call host_heartbeat when you start, whenever your phase changes, about once a minute while you work, and with ` +
	`phase "idle" when you are done: otherwise you are reported as stalled once heartbeats stop. The call returns at once. ` +
	`Hosts that send notifications/host.heartbeat themselves need no calls.`

const description = `Report that you are alive and what you are doing. Call it when you start, whenever your phase changes, ` +
	`about once a minute while you work, and with phase "idle" when you are done.`

//go:embed heartbeat.schema.json
var heartbeatSchema []byte

// heartbeat are the arguments of the heartbeat tools (Eywa's eywa_heartbeat).
type heartbeat struct {
	Phase       string   `json:"phase"`
	TokensUsed  *float64 `json:"tokens_used"`
	TokensLimit *float64 `json:"tokens_limit"`
}

// recorded holds what a heartbeat tool answers.
type recorded struct {
	Recorded     bool   `json:"recorded" jsonschema:"false if the telemetry pipeline rejected the heartbeat"`
	Phase        string `json:"phase" jsonschema:"the phase that was recorded"`
	TokenPercent *int   `json:"token_percent" jsonschema:"tokens_used in percent of tokens_limit, rounded; null if either is missing or 0"`
}

// newServer is the server that the SDK runs: two tools of two names, and no
// other capability.
func newServer(version string) *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: serverName, Title: "OpenTelemetry Collector for MCP", Version: version},
		&mcp.ServerOptions{
			Instructions: instructions,
			Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
		})
	for _, name := range []string{"host_heartbeat", "eywa_heartbeat"} {
		mcp.AddTool(server, &mcp.Tool{
			Name: name, Title: "Heartbeat", Description: description, InputSchema: json.RawMessage(heartbeatSchema),
			Annotations: &mcp.ToolAnnotations{IdempotentHint: true, DestructiveHint: new(bool), OpenWorldHint: new(bool)},
		}, beat)
	}
	return server
}

// beat answers a heartbeat. It was recorded, or not, before the SDK saw it.
func beat(ctx context.Context, _ *mcp.CallToolRequest, h heartbeat) (*mcp.CallToolResult, recorded, error) {
	return nil, recorded{
		Recorded: ctx.Value(refusedKey{}) == nil, Phase: h.Phase, TokenPercent: percent(h.TokensUsed, h.TokensLimit),
	}, nil
}

// refusedKey marks the context of a request that no pipeline accepted.
type refusedKey struct{}

func percent(used, limit *float64) *int {
	if used == nil || limit == nil || *used == 0 || *limit == 0 {
		return nil
	}
	p := math.Round(*used / *limit * 100)
	if p > math.MaxInt32 { // nobody uses that many
		return nil
	}
	n := int(p)
	return &n
}
