package mcp_test

import (
	"context"
	"fmt"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/jsonrpc"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/mcp"
)

// printer is a target that prints the calls it is given.
type printer struct{}

func (printer) Apply(_ context.Context, env *event.Envelope, e event.Event) error {
	switch e := e.(type) {
	case *event.CallStarted:
		fmt.Printf("%s: call %s of %s with %s\n", env.Session, e.ID, e.Target, e.Input)
	case *event.CallEnded:
		fmt.Printf("%s: call %s returned %s\n", env.Session, e.ID, e.Reply.Result.Content)
	}
	return nil
}

func ExampleDecoder() {
	body := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":1}}}
{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`)

	var items jsonscan.Items
	var m jsonrpc.Message
	var d mcp.Decoder
	for items.Reset(body); items.Next(); {
		if err := items.Done(m.Decode(items.Cursor())); err != nil {
			fmt.Println(err)
			continue
		}
		env := event.Envelope{Session: "s"}
		if err := d.Message(context.Background(), printer{}, &env, &m); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// s: call 1 of echo with {"a":1}
	// s: call 1 returned []
}
