// Program kafka speaks Kafka's protocol from memory: it is kfake, the broker
// that franz-go is tested with, and not Kafka. It stands in for one in tests
// that need consumer groups and keyed partitions and no durability.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:9092", "address, on the loopback interface")
	topics := flag.String("topics", "otlp_spans,otlp_logs", "topics to make")
	partitions := flag.Int("partitions", 1, "partitions of each topic")
	flag.Parse()
	if err := run(*listen, *topics, int32(*partitions)); err != nil {
		log.Fatal(err)
	}
}

// run serves until it is told to end.
func run(listen, topics string, partitions int32) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	_, port, err := net.SplitHostPort(listen)
	if err != nil {
		return fmt.Errorf("-listen %q: %w", listen, err)
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		return fmt.Errorf("-listen %q: %w", listen, err)
	}
	cluster, err := kfake.NewCluster(
		kfake.NumBrokers(1),
		kfake.Ports(number),
		kfake.SeedTopics(partitions, strings.Split(topics, ",")...),
		// A real broker wants 6 seconds or more; tests wait for this.
		kfake.GroupMinSessionTimeout(100*time.Millisecond),
	)
	if err != nil {
		return fmt.Errorf("listen at %s: %w", listen, err)
	}
	defer cluster.Close()
	fmt.Println("ready")
	<-ctx.Done()
	return nil
}
