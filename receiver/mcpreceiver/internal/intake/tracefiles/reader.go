// Package tracefiles tails the trace files that an mcp-agent Inspector writes:
// one span a line, plain or gzip with many members. What the pipelines accepted is
// remembered by file, so that every line is handed on at least once, and once if
// the process is not killed in between.
package tracefiles

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.uber.org/zap"

	"github.com/otelcol-mcp/otelcol-mcp/internal/inspectorwire"
	"github.com/otelcol-mcp/otelcol-mcp/internal/retry"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake"
)

// Label names this way in, in the component's own metrics.
const Label = "trace_files"

// Limits of one poll.
const (
	spansMax   = 1000     // handed on at once
	batchBytes = 8 << 20  // of lines, likewise
	bytesMax   = 64 << 20 // of one file, so that a long one does not keep the others waiting
	lineBytes  = 20 << 20
	filesMax   = 100_000 // that are followed
	firstRetry = time.Second
	lastRetry  = 30 * time.Second
)

// Settings hold what a [Reader] needs.
type Settings struct {
	Runner  *intake.Runner
	Logger  *zap.Logger
	Include []string // globs; ~ is the home directory
	Every   time.Duration
	Places  Places // where reading goes on
	Status  func(error)
}

// Places keeps the places in files over restarts. Its methods are used by one
// goroutine.
type Places interface {
	Load(context.Context) ([]Place, error)
	Save(context.Context, []Place) error
}

// Reader follows the files. Run is for one goroutine.
type Reader struct {
	Settings
	open    func(path string) (handle, error)
	files   map[fileID]*file
	dirty   bool
	broken  error // of the first file that could not be read on in this poll
	trouble trouble
}

// trouble collects what is wrong with all that a [Reader] does.
type trouble int

const (
	noTrouble trouble = iota
	pipelineRefuses
	fileBroken
)

// New creates a reader that reads nothing before Run.
func New(s Settings) *Reader {
	return &Reader{Settings: s, open: openFile, files: map[fileID]*file{}}
}

// Run polls until ctx is done.
func (r *Reader) Run(ctx context.Context) {
	r.restore(ctx)
	delays := retry.New(firstRetry, lastRetry)
	for {
		err := r.poll(ctx)
		r.save(ctx)
		pause := r.Every
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			r.report(pipelineRefuses, err)
			pause = delays.Next(err)
		case r.broken != nil: // others can be read, so there is no delay
			r.report(fileBroken, r.broken)
			delays.Reset()
		default:
			r.report(noTrouble, nil)
			delays.Reset()
		}
		if !retry.Sleep(ctx, pause) {
			return
		}
	}
}

// report reports trouble once, and its end.
func (r *Reader) report(now trouble, err error) {
	if now != r.trouble {
		r.trouble = now
		r.Status(err)
	}
}

// poll reads what is new in all files; the error is a pipeline's, which cannot
// accept more now.
func (r *Reader) poll(ctx context.Context) error {
	r.broken = nil
	present := map[fileID]bool{}
	for _, path := range r.list() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		id := idOf(path, info)
		present[id] = true
		if err := r.follow(ctx, id, path, info); err != nil {
			return err
		}
	}
	r.forget(present)
	return nil
}

// list is the files that match, each once, in order.
func (r *Reader) list() (paths []string) {
	for _, pattern := range r.Include {
		found, _ := filepath.Glob(home(pattern)) // the pattern was checked
		paths = append(paths, found...)
	}
	slices.Sort(paths)
	paths = slices.Compact(paths)
	return paths[:min(len(paths), filesMax)]
}

// home replaces a leading ~ by the home directory.
func home(pattern string) string {
	rest, ok := strings.CutPrefix(pattern, "~")
	if !ok || rest != "" && !os.IsPathSeparator(rest[0]) {
		return pattern
	}
	dir, err := os.UserHomeDir()
	if err != nil {
		return pattern
	}
	return dir + rest
}

func (r *Reader) follow(ctx context.Context, id fileID, path string, info os.FileInfo) error {
	f := r.files[id]
	if f == nil {
		f = &file{place: Place{ID: id}}
		r.files[id] = f
	}
	if f.size == info.Size() && f.changed.Equal(info.ModTime()) && !f.more {
		return nil
	}
	return r.read(ctx, f, path, info)
}

func (r *Reader) read(ctx context.Context, f *file, path string, info os.FileInfo) error {
	in, err := r.open(path)
	if err != nil {
		if !f.barred {
			f.barred = true
			r.Logger.Warn("Cannot read a trace file; retrying", zap.Error(err))
		}
		return nil
	}
	f.barred = false
	src, err := newSource(ctx, in, f, path, info.Size())
	if err != nil {
		r.breaks(err)
		return nil
	}
	defer src.Close()
	if err = r.lines(ctx, f, src); err != nil {
		return err
	}
	if src.torn {
		r.Logger.Warn("Cannot decompress part of a trace file; skipping it", zap.String("path", path))
	}
	if src.broken != nil { // it is read again, although it may not change any more
		r.breaks(src.broken)
		return nil
	}
	f.size, f.changed = info.Size(), info.ModTime()
	f.more = src.more
	return nil
}

// breaks notes that a file cannot be read on. The next poll tries again.
func (r *Reader) breaks(err error) {
	if r.broken == nil {
		r.broken = err
	}
}

// lines hands on the whole lines that are left, and moves the place behind those
// that the pipelines accepted.
func (r *Reader) lines(ctx context.Context, f *file, src *source) error {
	b := batch{spans: inspectorwire.NewSpans(inspectorwire.ProcessWriter())}
	for ctx.Err() == nil && src.next() {
		b.add(src.line)
		if b.lines >= spansMax || b.bytes >= batchBytes {
			if err := r.handOn(ctx, f, src, &b); err != nil {
				return err
			}
		}
	}
	return r.handOn(ctx, f, src, &b)
}

func (r *Reader) handOn(ctx context.Context, f *file, src *source, b *batch) error {
	if b.lines == 0 && src.place == f.place {
		return nil
	}
	ctx, ended := r.Runner.Delivery(ctx)
	defer ended()
	td := b.spans.Traces()
	for id, root := range rootsOf(td) {
		r.Runner.LinkRoot(ctx, Label, id, root)
	}
	err := r.Runner.ForwardTraces(ctx, td, td.SpanCount())
	if err != nil && !consumererror.IsPermanent(err) {
		r.Runner.Rejected(ctx, Label, "pipeline refused", b.taken)
		return err
	}
	r.count(ctx, b, err)
	f.place, r.dirty = src.place, true
	*b = batch{spans: b.spans}
	return nil
}

func (r *Reader) count(ctx context.Context, b *batch, refused error) {
	if refused != nil {
		r.Runner.Rejected(ctx, Label, "pipeline refused", b.taken)
	} else {
		r.Runner.Accepted(ctx, Label, b.taken)
	}
	if b.bad > 0 {
		r.Runner.Rejected(ctx, Label, "malformed", b.bad)
	}
}
