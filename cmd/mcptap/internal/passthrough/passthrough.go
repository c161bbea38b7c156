// Package passthrough runs a program between the standard streams of this one,
// as if this one were not there: bytes, their order, ends of files, signals and
// the exit code go through.
package passthrough

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
)

// Exit codes of a shell that cannot start a program.
const (
	exitCannot   = 126
	exitNotFound = 127
)

// bufferBytes is the size of one read, and what a pipe holds where that
// can be chosen.
const bufferBytes = 256 << 10

// silence is how long what a server's own children still write is waited for
// once the server has ended.
const silence = time.Second

// See gets bytes before they are passed on, so that no reply is seen before its
// request. It must not block, and must copy what it keeps.
type See func(at int64, p []byte)

// Tap observes, and may change, the bytes on their way.
type Tap struct {
	FromClient, FromServer See
	// Change, if not nil, may change lines from the client, each with its line
	// feed if it has one, before they are passed on. FromClient gets each of them
	// as it was, in one call with the same time.
	Change func(at int64, line []byte) []byte
	// ChangeMax is the size in bytes of lines that are too long to be changed.
	ChangeMax int
}

// Run starts the program with the standard error and the environment of this
// one, and is its exit code when it has ended: 128 and the signal's number if a
// signal ended it; asked reports whether mcptap got that signal too, as
// hosts end their servers. The error says why it could not be started; the code
// is then a shell's for that.
//
// It must be called once, from the main goroutine: on Linux the program is
// killed when the calling thread ends. When it returns, standard output has
// been closed and reading standard input goes on.
func Run(program string, args []string, tap Tap) (code int, asked bool, err error) {
	runtime.LockOSThread()
	p, err := newPipes()
	if err != nil {
		return exitCannot, false, err
	}
	cmd := exec.Command(program, args...) //nolint:gosec // it is what the user asked for
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p.childIn, p.childOut, os.Stderr
	cmd.SysProcAttr = attributes()
	signals := make(chan os.Signal, 16)
	catch(signals)
	defer signal.Stop(signals)
	if err = cmd.Start(); err != nil {
		if os.IsNotExist(err) || isNotFound(err) {
			return exitNotFound, false, err
		}
		return exitCannot, false, err
	}
	p.parentOnly()
	var got received
	late := make(chan struct{}, 1)
	go forward(signals, cmd.Process, &got, late)
	go fromClient(p.toChild, tap)
	out := output{from: p.fromChild, to: os.Stdout, done: make(chan struct{})}
	go out.run(tap.FromServer)
	_ = cmd.Wait() // the state says more
	out.drain(late, !got.toEnd())
	code = exitCode(cmd.ProcessState)
	return code, got.has(code - signalCode), nil
}

// signalCode is a shell's exit code for signal 0.
const signalCode = 128

// received are the signals that came to us.
type received struct{ bits atomic.Uint64 }

func (r *received) add(s os.Signal) {
	if number, ok := s.(syscall.Signal); ok && number > 0 && number < 64 {
		r.bits.Or(1 << number)
	}
}

func (r *received) has(number int) bool {
	return number > 0 && number < 64 && r.bits.Load()&(1<<number) != 0
}

// toEnd reports whether one of them was to end the program.
func (r *received) toEnd() bool {
	return r.has(int(syscall.SIGTERM)) || r.has(int(syscall.SIGINT)) || r.has(int(syscall.SIGHUP)) || r.has(int(syscall.SIGQUIT))
}

func isNotFound(err error) bool {
	e, ok := err.(*exec.Error) //nolint:errorlint // as Start returns it
	return ok && e.Err == exec.ErrNotFound
}

// pipes connect this program with the other.
type pipes struct {
	childIn, childOut  *os.File // the child's ends
	toChild, fromChild *os.File // ours
}

func newPipes() (p pipes, err error) {
	if p.childIn, p.toChild, err = os.Pipe(); err != nil {
		return p, err
	}
	if p.fromChild, p.childOut, err = os.Pipe(); err != nil {
		return p, err
	}
	// A thread that blocks in read gets bytes sooner than one that the poller
	// has to wake.
	widen(p.toChild.Fd())
	widen(p.fromChild.Fd())
	return p, nil
}

func (p *pipes) parentOnly() {
	_ = p.childIn.Close()
	_ = p.childOut.Close()
}

// forward passes signals on. One that comes when the program has ended is for
// us: it is sent to late.
func forward(signals <-chan os.Signal, to *os.Process, got *received, late chan<- struct{}) {
	for s := range signals {
		got.add(s)
		if !passes(s) || !errors.Is(to.Signal(s), os.ErrProcessDone) {
			continue
		}
		select {
		case late <- struct{}{}:
		default:
		}
	}
}

// fromClient passes standard input on until it ends, or until the server closes
// its end, which the client then notices as well.
func fromClient(to *os.File, tap Tap) {
	var w io.Writer = to
	see := tap.FromClient
	if tap.Change != nil {
		w = &changer{to: to, see: see, now: func() int64 { return time.Now().UnixNano() }, change: tap.Change, most: tap.ChangeMax}
		see = func(int64, []byte) {}
	}
	if copyBytes(w, os.Stdin, see) {
		if c, ok := w.(*changer); ok {
			_ = c.end()
		}
	} else {
		_ = os.Stdin.Close()
	}
	_ = to.Close()
}

// output passes the server's output on.
type output struct {
	from io.ReadCloser
	to   io.WriteCloser
	seen atomic.Int64 // bytes
	sent atomic.Int64 // bytes
	done chan struct{}
}

func (o *output) run(see See) {
	defer close(o.done)
	if !copyBytes(o, o.from, func(at int64, p []byte) {
		see(at, p)
		o.seen.Add(int64(len(p)))
	}) {
		_ = o.from.Close() // the server notices as it would have without us
	}
	_ = o.to.Close()
}

// Write implements io.Writer: to the client.
func (o *output) Write(p []byte) (int, error) {
	n, err := o.to.Write(p)
	o.sent.Add(int64(n))
	return n, err
}

// drain waits until all output of the server, which has ended, is passed on. A
// patient one waits for however long the client takes to read it, or until a late
// signal ends that: a client that has ended the server may not read any more.
// What the server's children may still write to the pipe that they hold open is
// not waited for.
func (o *output) drain(late <-chan struct{}, patient bool) {
	for before := int64(-1); before != o.seen.Load() || patient && before != o.sent.Load(); {
		before = o.seen.Load()
		select {
		case <-o.done:
			return
		case <-late:
			return
		case <-time.After(silence):
		}
	}
}

// copyBytes copies until from ends, and is false if to cannot be written any
// more.
func copyBytes(to io.Writer, from io.Reader, see See) bool {
	buffer := make([]byte, bufferBytes)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			see(time.Now().UnixNano(), buffer[:n])
			if _, err := to.Write(buffer[:n]); err != nil {
				return false
			}
		}
		if err != nil {
			return true
		}
	}
}
