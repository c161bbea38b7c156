package inspectorexporter

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"slices"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/daily"
	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/sessions"
	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/store"
	"github.com/otelcol-mcp/otelcol-mcp/internal/inspectorwire"
)

// restoring shows the sessions of earlier runs: at once those that the index
// knows, and those whose files can be read within a moment; the rest meanwhile.
type restoring struct {
	*shown
	log     *zap.Logger
	left    []store.Known
	parts   map[string][]string // of sessions that are to be read, in files of their own
	streams []store.Known
	ready   atomic.Bool
}

// startBudget is how long Start may read files: a session that goes on is only
// counted right if its file is read before.
const startBudget = 2 * time.Second

// startBytes is how big a session's files may be that Start reads: bigger ones
// would take more than the time it has.
const startBytes = 8 << 20

func restore(ctx context.Context, s *shown, log *zap.Logger) *restoring {
	r := &restoring{shown: s, log: log, parts: map[string][]string{}}
	r.folds()
	for _, k := range slices.Backward(r.store.Known()) { // the oldest first: then the newest is only appended
		switch {
		case daily.IsID(k.ID):
			r.streams = append(r.streams, k)
		case r.earlier().Whole(k.ID) != "":
			whole := r.earlier().Whole(k.ID)
			r.parts[whole] = append(r.parts[whole], k.ID)
		case !r.board.Known(k.ID, k.Meta, k.Epoch, k.Current):
			r.left = append(r.left, k)
		}
	}
	slices.Reverse(r.left)
	until := time.Now().Add(startBudget)
	for len(r.left) > 0 && r.left[0].Size <= startBytes && time.Now().Before(until) {
		r.one(ctx)
	}
	return r
}

// rest reads the others, the newest first, until ctx is done.
func (r *restoring) rest(ctx context.Context) {
	for _, k := range r.streams {
		if err := r.recount(ctx, k); err != nil {
			r.log.Warn("Cannot read a stream of an earlier run", zap.String("stream", k.ID), zap.Error(err))
		}
		r.events.Rouse()
	}
	for len(r.left) > 0 && ctx.Err() == nil {
		r.one(ctx)
		r.events.Rouse()
	}
	r.ready.Store(true)
}

// one reads the next session, also if it goes on already: its new spans tell
// neither its title nor whether anything will tell of its end.
func (r *restoring) one(ctx context.Context) {
	k := r.left[0]
	r.left = r.left[1:]
	defer func() { r.earlier().Heard(k.ID, k.Modified) }()
	for _, id := range append([]string{k.ID}, r.parts[k.ID]...) {
		if err := r.replay(ctx, id, k.ID); err != nil {
			r.log.Warn("A session of an earlier run cannot be read", zap.String("session", id), zap.Error(err))
		}
	}
}

// maxLine is the longest line that is read back.
const maxLine = 64 << 20

func (r *restoring) earlier() sessions.Earlier { return sessions.Earlier{Board: r.board} }

// folds reads which sessions are part of another one.
func (r *restoring) folds() {
	err := r.store.Notes.Read(func(line []byte) {
		var f sessions.Fold
		if json.Unmarshal(line, &f) == nil && f.ID != "" && f.Whole != "" {
			r.earlier().Folded(f)
		}
	})
	if err != nil {
		r.log.Warn("Cannot read which sessions are part of others", zap.Error(err))
	}
}

// replay makes a session's row from the lines of earlier runs in the file of that id;
// those that are no span are passed over. When ctx is done the row goes again: half of one must not
// be remembered.
func (r *restoring) replay(ctx context.Context, id, session string) error {
	trace, err := r.store.Trace(id)
	if err != nil {
		return err
	}
	in := trace.Lines(0, trace.Before)
	defer func() { _ = in.Close() }() // was only read
	lines := scanner(in)
	spans := inspectorwire.NewSpansWithRunning()
	for n := 0; lines.Scan(); n++ {
		_, _ = spans.Add(lines.Bytes())
		if n%1000 == 999 {
			r.replayed(session, spans)
			if ctx.Err() != nil {
				r.board.Remove(session)
				return ctx.Err()
			}
		}
	}
	r.replayed(session, spans)
	if id == session {
		r.board.Grown(id, trace.Size, trace.Epoch)
	}
	return lines.Err()
}

func scanner(in io.Reader) *bufio.Scanner {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	return lines
}

// recount counts the items of a stream that earlier runs wrote.
func (r *restoring) recount(ctx context.Context, k store.Known) error {
	trace, err := r.store.Trace(k.ID)
	if err != nil {
		return err
	}
	in := trace.Lines(0, trace.Before)
	defer func() { _ = in.Close() }() // was only read
	var items, failed int64
	lines := scanner(in)
	for ; lines.Scan() && ctx.Err() == nil; items++ {
		if hasFailed(lines.Bytes()) {
			failed++
		}
	}
	r.daily.Restore(k.ID, items, failed, trace.Size, trace.Epoch, k.Modified)
	return lines.Err()
}

// hasFailed is [sessions.HasFailed] of a line.
func hasFailed(line []byte) bool {
	var span struct {
		Status struct {
			Code string `json:"status_code"`
		}
		Attributes struct {
			Code any `json:"mcp.status.code"`
		}
	}
	_ = json.Unmarshal(line, &span) // what cannot be read has not failed
	return span.Status.Code == "ERROR" || span.Attributes.Code == "error"
}

func (r *restoring) replayed(id string, spans *inspectorwire.Spans) {
	td := spans.Traces()
	for _, rs := range td.ResourceSpans().All() {
		for _, s := range rs.ScopeSpans().All() {
			for _, span := range s.Spans().All() {
				r.board.Restore(id, rs.Resource(), span, s.Scope().Name())
			}
		}
	}
}
