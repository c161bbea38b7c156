package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/observer"
	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/report"
	"github.com/otelcol-mcp/otelcol-mcp/internal/observation"
	"github.com/otelcol-mcp/otelcol-mcp/internal/process"
)

const defaultEndpoint = "http://localhost:4319/v1/observations"

// authorizationEnv holds what must not stand in a list of processes.
const authorizationEnv = "MCPTAP_AUTHORIZATION"

// agentSessionEnv is set by Claude Code for the servers that it starts: the id
// by which its hooks and its telemetry name the session.
const agentSessionEnv = "CLAUDE_CODE_SESSION_ID"

// lastWords is the time that the collector has at the end for what is left in the
// queue; longer while it accepts batches.
const lastWords = 400 * time.Millisecond

// options are the flags of whatever reports.
type options struct {
	endpoint   string
	file       string
	session    string
	agent      string // session of the agent
	client     string
	server     string
	protocol   string
	namespace  string
	propagate  bool
	maxMessage size
	queue      size
}

func (o *options) registerEndpoint(f *pflag.FlagSet) {
	f.StringVar(&o.endpoint, "endpoint", endpointDefault(),
		"URL of the collector (env MCPTAP_ENDPOINT); "+authorizationEnv+" sets an Authorization header")
}

func endpointDefault() string {
	if e := os.Getenv("MCPTAP_ENDPOINT"); e != "" {
		return e
	}
	return defaultEndpoint
}

func (o *options) register(f *pflag.FlagSet) {
	o.maxMessage, o.queue = 1<<20, 8<<20
	o.registerEndpoint(f)
	f.StringVar(&o.file, "file", "", "append records to this file instead of sending them; mcptap replay sends it later")
	f.StringVar(&o.session, "session", "", "name of the session; servers with the same name share one trace")
	f.Var(&o.maxMessage, "max-message", "report larger messages without arguments and results")
	f.Var(&o.queue, "queue", "bytes of records that may wait for the collector; further records are dropped")
	f.BoolVar(&o.propagate, "propagate", false,
		"add traceparent and mcp.request_id to requests, so that an instrumented server joins the trace")
	f.StringVar(&o.namespace, "namespace", "", "namespace of the receiver, needed by --propagate")
}

func (o *options) registerPeers(f *pflag.FlagSet) {
	f.StringVar(&o.client, "client", "", "service.name of the client (default: the name in its messages)")
	f.StringVar(&o.server, "server", "", "service.name of the server (default: the name in its messages)")
}

func (o *options) check() error {
	switch {
	case o.protocol != "" && o.protocol != "mcp" && o.protocol != observation.ProtocolACP:
		return fmt.Errorf("--protocol %q is neither mcp nor acp", o.protocol)
	case o.propagate && o.protocol == observation.ProtocolACP:
		return errors.New("--propagate is for MCP: leave it out, or --protocol acp")
	}
	return nil
}

// around returns the fields that all records share.
func (o *options) around() observation.Record {
	r := observation.Record{
		Connection: "c-" + rand.Text(), Session: o.session, Host: observer.HostID(), Client: o.client, Server: o.server,
		AgentSession: o.agent, Process: process.Agent(),
	}
	if r.Session == "" {
		r.Session = "s-" + rand.Text()
	}
	if o.protocol == observation.ProtocolACP {
		r.Protocol = observation.ProtocolACP
	}
	return r
}

// reporter delivers records to where the flags say.
type reporter struct {
	*report.Queue
	sender *report.Sender
	file   *os.File
}

func (o *options) report(log io.Writer) (*reporter, error) {
	r := &reporter{Queue: report.NewQueue(int(o.queue))}
	if o.file != "" {
		f, torn, err := report.OpenFile(o.file, log)
		if err != nil {
			return nil, fmt.Errorf("--file: %w", err)
		}
		r.file, r.sender = f, report.StartFile(r.Queue, f, torn, o.file, log)
		return r, nil
	}
	client, err := o.reportClient()
	if err != nil {
		return nil, err
	}
	r.sender = report.Start(r.Queue, client, log)
	return r, nil
}

func (o *options) reportClient() (*report.Client, error) {
	return report.NewClient(o.endpoint, os.Getenv(authorizationEnv))
}

// finish begins to send what is left. A signal ends that: a client that has ended
// its server may not wait. The returned function lets signals be as before.
func (r *reporter) finish() (stop func()) {
	ctx, stop := interrupted()
	context.AfterFunc(ctx, r.sender.GiveUp)
	r.sender.Finish(lastWords)
	return stop
}

func (r *reporter) close() {
	r.sender.Close(lastWords)
	if r.file != nil {
		_ = r.file.Close()
	}
}

// size is a number of bytes.
type size int

var units = []struct {
	suffix string
	factor int
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"", 1}}

// Set implements pflag.Value.
func (s *size) Set(text string) error {
	for _, unit := range units {
		digits, ok := strings.CutSuffix(text, unit.suffix)
		if !ok {
			continue
		}
		n, err := strconv.Atoi(digits)
		if err != nil || n < 1 || n > 1<<40/unit.factor {
			return fmt.Errorf("%q is not a size: use a number like 65536, 512KiB or 1MiB", text)
		}
		*s = size(n * unit.factor)
		return nil
	}
	return nil
}

// String implements pflag.Value.
func (s *size) String() string {
	for _, unit := range units {
		if n := int(*s); n%unit.factor == 0 && n >= unit.factor {
			return strconv.Itoa(n/unit.factor) + unit.suffix
		}
	}
	return strconv.Itoa(int(*s))
}

// Type implements pflag.Value.
func (*size) Type() string { return "size" }
