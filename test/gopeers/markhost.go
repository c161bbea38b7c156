package main

import (
	"context"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
)

// markHost is mark3labs/mcp-go.
type markHost struct{ *client.Client }

func (h *markHost) connect(ctx context.Context, url, revision string) (s seen, err error) {
	if h.Client, err = client.NewStreamableHttpClient(url); err != nil {
		return s, err
	}
	if revision != "" {
		client.WithProtocolVersion(revision)(h.Client)
	}
	if err = h.Start(ctx); err != nil {
		return s, err
	}
	var request mcp.InitializeRequest
	request.Params.ClientInfo = mcp.Implementation{Name: clientName + "mcp-go", Version: "1.0.0"}
	request.Params.ProtocolVersion = revision
	result, err := h.Initialize(ctx, request)
	if err != nil {
		return s, err
	}
	return seen{Revision: result.ProtocolVersion, Session: h.GetSessionId()}, nil
}

func (h *markHost) tools(ctx context.Context) (names []string, err error) {
	result, err := h.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		return nil, err
	}
	for _, tool := range result.Tools {
		names = append(names, tool.Name)
	}
	return names, nil
}

func (h *markHost) call(ctx context.Context, tool string, arguments map[string]any) (any, error) {
	var request mcp.CallToolRequest
	request.Params.Name, request.Params.Arguments = tool, arguments
	result, err := h.CallTool(ctx, request)
	if err != nil {
		return nil, err
	}
	return result.StructuredContent, nil
}

func (h *markHost) notify(ctx context.Context, n notification) error {
	var out mcp.JSONRPCNotification
	out.JSONRPC, out.Method = mcp.JSONRPC_VERSION, n.Method
	out.Params.AdditionalFields = n.Params
	if meta, ok := n.Params["_meta"].(map[string]any); ok {
		out.Params.Meta = meta
		delete(n.Params, "_meta")
	}
	return h.GetTransport().SendNotification(ctx, out)
}

func (h *markHost) close() error { return h.Close() }
