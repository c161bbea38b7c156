// The toolserver is an MCP server with a few tools. It writes each tools/call
// that it gets as a line of JSON to a file, so that a test can compare what
// others say of the calls with what the server saw.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Seen is one line of the file.
type Seen struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Meta      map[string]any  `json:"meta,omitempty"`
	// Session is the session that the agent wrote into the server's environment.
	Session string `json:"session,omitempty"`
	// Traceparent is the header's, of HTTP.
	Traceparent string `json:"traceparent,omitempty"`
}

func main() {
	address := flag.String("http", "", "serve Streamable HTTP on this loopback address instead of stdio")
	name := flag.String("name", "tools", "the server's name")
	path := flag.String("seen", "", "file to append the calls to")
	hang := flag.String("hang", "", "the name of one more tool, which never returns")
	flag.Parse()
	if err := run(*address, *name, *path, *hang); err != nil {
		log.Fatal(err)
	}
}

func run(address, name, path, hang string) error {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	b := &book{file: file}
	server := newServer(name, b)
	if hang != "" {
		addHanging(server, hang, b)
	}
	if address == "" {
		return server.Run(context.Background(), &mcp.StdioTransport{})
	}
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
	h := &http.Server{Addr: address, Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	return h.ListenAndServe()
}

// book writes one call after another.
type book struct {
	mu   sync.Mutex
	file *os.File
}

func (b *book) enter(r *mcp.CallToolRequest) error {
	s := Seen{
		Tool: r.Params.Name, Arguments: r.Params.Arguments, Meta: r.Params.Meta, Session: os.Getenv("CLAUDE_CODE_SESSION_ID"),
	}
	if r.Extra != nil && r.Extra.Header != nil {
		s.Traceparent = r.Extra.Header.Get("traceparent")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return json.NewEncoder(b.file).Encode(s)
}

type (
	terms struct {
		A int `json:"a" jsonschema:"the first number"`
		B int `json:"b" jsonschema:"the second number"`
	}
	reason struct {
		Reason string `json:"reason" jsonschema:"what the error says"`
	}
)

func newServer(name string, b *book) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: name, Version: "1.0.0"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "add", Description: "Adds two numbers.", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(_ context.Context, r *mcp.CallToolRequest, in terms) (*mcp.CallToolResult, any, error) {
			return text(fmt.Sprintf("%d + %d = %d", in.A, in.B, in.A+in.B)), nil, b.enter(r)
		})
	mcp.AddTool(s, &mcp.Tool{Name: "fail", Description: "Always fails."},
		func(_ context.Context, r *mcp.CallToolRequest, in reason) (*mcp.CallToolResult, any, error) {
			return nil, nil, errors.Join(b.enter(r), errors.New(in.Reason))
		})
	return s
}

// addHanging adds a tool whose calls end with their client.
func addHanging(s *mcp.Server, name string, b *book) {
	mcp.AddTool(s, &mcp.Tool{Name: name, Description: "Runs a job and waits for it.", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(ctx context.Context, r *mcp.CallToolRequest, _ map[string]any) (*mcp.CallToolResult, any, error) {
			if err := b.enter(r); err != nil {
				return nil, nil, err
			}
			<-ctx.Done()
			return nil, nil, ctx.Err()
		})
}

func text(s string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
}
