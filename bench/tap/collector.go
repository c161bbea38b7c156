package main

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/bench/figures"
)

// collector is the distribution with its default configuration, on ports and in
// folders of its own.
type collector struct {
	cmd      *exec.Cmd
	dir      string
	endpoint string
}

func startCollector(binary string) (*collector, error) {
	dir, err := os.MkdirTemp("", "bench-tap")
	if err != nil {
		return nil, err
	}
	ports, err := figures.Addresses(6)
	if err != nil {
		return nil, err
	}
	c := &collector{dir: dir, endpoint: "http://" + ports[0] + "/v1/observations"}
	_, metrics, _ := net.SplitHostPort(ports[4])
	c.cmd = exec.Command(binary, //nolint:gosec // as the flag says
		"--config", "embedded:default",
		"--config", "yaml:receivers::mcp::http::endpoint: "+ports[0],
		"--config", "yaml:receivers::mcp::otlp::protocols::grpc::endpoint: "+ports[1],
		"--config", "yaml:receivers::mcp::otlp::protocols::http::endpoint: "+ports[2],
		"--config", "yaml:extensions::healthcheckv2::http::endpoint: "+ports[3],
		"--config", "yaml:exporters::mcp_inspector::http::endpoint: "+ports[5],
		"--config", "yaml:exporters::prometheus::endpoint: localhost:0",
		"--config", "yaml:service::telemetry::metrics::readers: [{pull: {exporter: {prometheus: {host: 127.0.0.1, port: "+metrics+"}}}}]",
	)
	c.cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+dir)
	var log bytes.Buffer
	c.cmd.Stdout, c.cmd.Stderr = &log, &log
	if err := c.cmd.Start(); err != nil {
		return nil, fmt.Errorf("%w: build it with make build", err)
	}
	for range 600 {
		if conn, err := net.Dial("tcp", ports[0]); err == nil {
			return c, conn.Close()
		}
		time.Sleep(100 * time.Millisecond)
	}
	c.stop()
	return nil, errors.New("the collector does not start:\n" + log.String())
}

func (c *collector) stop() {
	_ = c.cmd.Process.Signal(syscall.SIGTERM)
	_ = c.cmd.Wait()
	_ = os.RemoveAll(c.dir)
}
