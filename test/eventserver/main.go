// Command eventserver is a fake MCP server for trying the receiver's events: a
// deployment ends every second. See docs/events.md.
package main

import (
	"flag"
	"fmt"
	"log"
	"net/http"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/test/eventsource"
)

func main() {
	address := flag.String("listen", "localhost:4390", "where it listens")
	generation := flag.Int("generation", 3, "of the wire format: 1, 2, 3")
	every := flag.Duration("every", time.Second, "between two events")
	flag.Parse()
	ways := []string{"webhook", "push", "poll"}
	server := &eventsource.Server{Generation: *generation, Challenge: true, Types: []eventsource.Type{
		{Name: "deploy.finished", Delivery: ways, Durable: true},
		{Name: "incident.created", Delivery: ways[1:], Durable: true},
	}}
	go occur(server, *every)
	log.Printf("MCP server with events at http://%s/mcp", *address)
	listening := &http.Server{Addr: *address, Handler: server, ReadHeaderTimeout: time.Minute}
	log.Fatal(listening.ListenAndServe())
}

func occur(server *eventsource.Server, every time.Duration) {
	for n := 1; ; n++ {
		time.Sleep(every)
		e := eventsource.Event{
			ID: fmt.Sprintf("deploy-%d-%d", time.Now().Unix(), n), Name: "deploy.finished",
			Data: fmt.Sprintf(`{"service":"shop","build":%d,"ok":%t}`, n, n%5 != 0),
		}
		if n%10 == 0 {
			e.ID, e.Name, e.Data = fmt.Sprintf("incident-%d", time.Now().UnixNano()), "incident.created", `{"severity":"P1"}`
		}
		server.Append(e)
	}
}
