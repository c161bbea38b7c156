// Program gopeers is an agent host: it adds an MCP server, tells it how it is
// with one of the Go SDKs, and ends the session.
//
//	gopeers mcp-go|go-sdk URL REVISION NOTIFICATIONS.json
//
// An empty revision leaves the choice to the SDK. It prints what it saw as JSON.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"time"
)

// clientName is what all clients call themselves, with the SDK's name behind.
const clientName = "host-"

// notification is one of those to send.
type notification struct {
	Method string         `json:"method"`
	Params map[string]any `json:"params"`
}

// seen is what the program prints.
type seen struct {
	Revision string   `json:"revision"`
	Session  string   `json:"session"`
	Tools    []string `json:"tools"`
	Recorded bool     `json:"recorded"`
}

// host is one SDK's client.
type host interface {
	connect(ctx context.Context, url, revision string) (seen, error)
	tools(ctx context.Context) ([]string, error)
	call(ctx context.Context, tool string, arguments map[string]any) (structured any, err error)
	notify(ctx context.Context, n notification) error
	close() error
}

func main() {
	if len(os.Args) != 5 {
		log.Fatal("usage: gopeers mcp-go|go-sdk URL REVISION NOTIFICATIONS.json")
	}
	hosts := map[string]host{"mcp-go": &markHost{}, "go-sdk": &officialHost{}}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	result, err := drive(ctx, hosts[os.Args[1]], os.Args[2], os.Args[3], os.Args[4])
	if err != nil {
		log.Fatal(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(result); err != nil {
		log.Fatal(err)
	}
}

// stateless is the first revision without sessions.
const stateless = "2026-07-28"

func drive(ctx context.Context, h host, url, revision, path string) (seen, error) {
	var all []notification
	text, err := os.ReadFile(path)
	if err != nil {
		return seen{}, err
	}
	if err = json.Unmarshal(text, &all); err != nil {
		return seen{}, err
	}
	s, err := h.connect(ctx, url, revision)
	if err != nil {
		return s, fmt.Errorf("connect: %w", err)
	}
	if s.Tools, err = h.tools(ctx); err != nil {
		return s, fmt.Errorf("list tools: %w", err)
	}
	answer, err := h.call(ctx, "host_heartbeat", map[string]any{"phase": "thinking", "detail": "plans"})
	if err != nil {
		return s, fmt.Errorf("call: %w", err)
	}
	structured, _ := answer.(map[string]any)
	s.Recorded, _ = structured["recorded"].(bool)
	for _, n := range all {
		if s.Revision >= stateless {
			n.Params["_meta"] = identity(s.Revision, os.Args[1])
		}
		if err = h.notify(ctx, n); err != nil {
			return s, fmt.Errorf("%s: %w", n.Method, err)
		}
	}
	return s, h.close()
}

// identity is what a host says of itself where there is no session: neither SDK
// adds it to notifications of its user.
func identity(revision, sdk string) map[string]any {
	return map[string]any{
		"io.modelcontextprotocol/protocolVersion":    revision,
		"io.modelcontextprotocol/clientCapabilities": map[string]any{},
		"io.modelcontextprotocol/clientInfo":         map[string]any{"name": clientName + sdk, "version": "1.0.0"},
	}
}
