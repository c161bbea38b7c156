package main

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/observer"
	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/passthrough"
	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/report"
	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/spool"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/observation"
)

// spoolBytes bounds the bytes that passed and are not observed yet.
const spoolBytes = 8 << 20

// tapCommand runs a server over its standard streams; the code is the server's.
func tapCommand(o *options, args []string) (code int, err error) {
	if err = o.check(); err != nil {
		return 0, err
	}
	out, err := o.report(terminal)
	if err != nil {
		return 0, err
	}
	if isTerminal(os.Stdin) {
		fmt.Fprintf(terminal, "mcptap: %s waits for an MCP client on standard input. To let a client start it, see mcptap wrap --help; Ctrl-D ends it.\n", args[0])
	}
	_ = os.Unsetenv(authorizationEnv) // it is not the server's to know
	around := o.around()
	around.Transport, around.ServerURI = "stdio", stdioURI(args[0])
	watch := watched(observer.Options{
		Around: around, MaxMessage: int(o.maxMessage), Named: o.session != "", Propagate: o.propagate, Namespace: o.namespace,
	}, report.Waiting{Queue: out.Queue})
	tap := passthrough.Tap{FromClient: watch.see(observer.FromClient), FromServer: watch.see(observer.FromServer)}
	if o.propagate {
		tap.Change, tap.ChangeMax = inject(o.namespace, &around), int(o.maxMessage)
	}
	var asked bool
	code, asked, err = passthrough.Run(args[0], args[1:], tap)
	stop := out.finish()
	defer stop()
	if err == nil {
		watch.end(code, asked)
	}
	out.close()
	return code, err
}

// isTerminal reports whether a person is at the other end.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// stdioURI names a program without its arguments, which may hold secrets.
func stdioURI(program string) string {
	path, err := exec.LookPath(program)
	if err != nil {
		path = program
	}
	if full, err := filepath.Abs(path); err == nil {
		path = full
	}
	return (&url.URL{Scheme: "stdio", Path: filepath.ToSlash(path), OmitHost: false}).String()
}

// watch observes in a goroutine of its own what was put into a spool.
type watch struct {
	spool    *spool.Spool
	observer *observer.Observer
	done     chan struct{}
	broken   bool // read after done
}

func watched(opt observer.Options, sink observer.Sink) *watch {
	w := &watch{spool: spool.New(spoolBytes), observer: observer.New(opt, sink), done: make(chan struct{})}
	go func() {
		defer close(w.done)
		yield()
		w.guard(func() { w.spool.Read(w.observer.Look) })
	}()
	return w
}

// guard keeps a panic in mcptap from ending the server: nothing more is observed
// then, and everything still passes.
func (w *watch) guard(observe func()) {
	defer func() {
		if mistake := recover(); mistake != nil {
			w.broken = true
			fmt.Fprintf(terminal, "mcptap: internal error, nothing more is reported: %v\n", mistake)
		}
	}()
	observe()
}

func (w *watch) see(stream int) passthrough.See {
	return func(at int64, p []byte) { w.spool.Put(at, stream, p) }
}

// end waits until everything is observed, and records that the server has ended:
// with its exit code, unless a signal that was passed on to it ended it, which is
// no failure.
func (w *watch) end(code int, asked bool) {
	w.spool.Close()
	<-w.done
	if !w.broken {
		w.guard(func() { w.observer.End(time.Now().UnixNano(), code, !asked) })
	}
}

// inject puts a trace context into lines that are requests.
func inject(namespace string, around *observation.Record) func(int64, []byte) []byte {
	return func(at int64, line []byte) []byte {
		contextOf := func(id jsonscan.Value) observer.TraceContext {
			return observer.ContextOf(namespace, around.TraceOf(), around.Connection, id, at)
		}
		text := bytes.TrimSuffix(line, []byte("\n"))
		changed := observer.Inject(text, contextOf)
		if len(changed) == len(text) {
			return line
		}
		return append(changed, line[len(text):]...)
	}
}
