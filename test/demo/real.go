package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// real calls the tools of server-everything through mcptap, which reports what
// passes. Without Node or the package it says so, and that is all.
func (d *demo) real(ctx context.Context, tap, server string) error {
	node, err := exec.LookPath("node")
	if _, missing := os.Stat(server); err != nil || missing != nil || tap == "" {
		fmt.Printf("  %-24s %s\n", "everything", "left out: it needs Node, and npm ci --prefix test/peers")
		return nil
	}
	tap, err = filepath.Abs(tap)
	if err != nil {
		return err
	}
	session := "everything-" + d.run
	fmt.Printf("  %-24s %s\n", session, "a real server behind mcptap")
	cmd := exec.CommandContext(ctx, tap, "--endpoint", d.endpoint+"/v1/observations", "--session", session, "--", node, server, "stdio")
	client := mcp.NewClient(&mcp.Implementation{Name: "demo", Version: "1"}, &mcp.ClientOptions{
		CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) { //nolint:staticcheck // servers ask for it, and it is to be seen
			return &mcp.CreateMessageResult{Model: "demo", Role: "assistant", Content: &mcp.TextContent{Text: "A short answer."}}, nil //nolint:staticcheck // likewise
		},
	})
	s, err := client.Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		return fmt.Errorf("session %s: %w", session, err)
	}
	defer func() { _ = s.Close() }() // the server ends with its input
	return d.tools(ctx, s)
}

// tools calls each tool once, and those that toggle something once more; those that do not like their arguments give the
// page an error to show.
func (d *demo) tools(ctx context.Context, s *mcp.ClientSession) error {
	list, err := s.ListTools(ctx, nil)
	if err != nil {
		return err
	}
	arguments := map[string]any{"message": "Hello", "a": 2, "b": 3, "messageType": "success", "duration": 3, "steps": 3, "prompt": "Say something short", "maxTokens": 50}
	calls := slices.Clone(list.Tools)
	for _, tool := range list.Tools {
		if strings.HasPrefix(tool.Name, "toggle-") { // what goes on by itself keeps the server from ending with its input
			calls = append(calls, tool)
		}
	}
	for _, tool := range calls {
		if err := d.pause(ctx, 1); err != nil {
			return err
		}
		_, _ = s.CallTool(ctx, &mcp.CallToolParams{Name: tool.Name, Arguments: arguments}) // what comes of it is on the page
	}
	return nil
}
