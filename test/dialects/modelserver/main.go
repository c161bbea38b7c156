// Program modelserver is the model of the frameworks that are recorded: it prints its
// address and answers until its standard input ends. It is a fake: it answers with a
// script, whatever the question is, and counts the same tokens each time.
package main

import (
	"fmt"
	"io"
	"log"
	"os"

	"github.com/otelcol-mcp/otelcol-mcp/test/agents/model"
)

// usage is the cost of each answer.
var usage = model.Usage{Input: 120, CacheRead: 64, Output: 18, Reasoning: 5}

// scripts call a tool and tell what it said. The second one also calls it in a way that
// fails.
var scripts = []model.Script{
	{Marker: "How warm is it in Oslo?", Turns: []model.Turn{call("Oslo"), answer}},
	{Marker: "How warm is it in Oslo and Nowhere?", Turns: []model.Turn{call("Oslo"), call("Nowhere"), answer}},
}

var answer = model.Turn{Text: "It is 21 °C in Oslo.", Usage: usage}

func call(city string) model.Turn {
	return model.Turn{Usage: usage, Calls: []model.Call{{Tool: "weather", Arguments: map[string]any{"city": city}}}}
}

func main() {
	server, err := model.Start("127.0.0.1:0", scripts...)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(server.URL)
	_, _ = io.Copy(io.Discard, os.Stdin)
	if err := server.Close(); err != nil {
		log.Fatal(err)
	}
}
