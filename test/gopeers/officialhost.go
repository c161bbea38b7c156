package main

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// officialHost is the official SDK, whose client sends no notifications of its
// user: they go straight to the transport's connection.
type officialHost struct {
	session *mcp.ClientSession
	conn    mcp.Connection
}

// spy keeps the connection that the transport makes.
type spy struct {
	mcp.Transport
	host *officialHost
}

func (s spy) Connect(ctx context.Context) (conn mcp.Connection, err error) {
	s.host.conn, err = s.Transport.Connect(ctx)
	return s.host.conn, err
}

func (h *officialHost) connect(ctx context.Context, url, revision string) (s seen, err error) {
	c := mcp.NewClient(&mcp.Implementation{Name: clientName + "go-sdk", Version: "1.0.0"}, nil)
	transport := spy{&mcp.StreamableClientTransport{Endpoint: url}, h}
	h.session, err = c.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		return s, err
	}
	return seen{Revision: h.session.InitializeResult().ProtocolVersion, Session: h.session.ID()}, nil
}

func (h *officialHost) tools(ctx context.Context) (names []string, err error) {
	result, err := h.session.ListTools(ctx, nil)
	if err != nil {
		return nil, err
	}
	for _, tool := range result.Tools {
		names = append(names, tool.Name)
	}
	return names, nil
}

func (h *officialHost) call(ctx context.Context, tool string, arguments map[string]any) (any, error) {
	result, err := h.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return nil, err
	}
	return result.StructuredContent, nil
}

func (h *officialHost) notify(ctx context.Context, n notification) error {
	params, err := json.Marshal(n.Params)
	if err != nil {
		return err
	}
	return h.conn.Write(ctx, &jsonrpc.Request{Method: n.Method, Params: params})
}

func (h *officialHost) close() error { return h.session.Close() }
