package tracefiles

import (
	"context"
	"errors"
	"hash/fnv"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// fileID distinguishes files, also when they are renamed.
type fileID string

// Place marks how far a file was read.
type Place struct {
	ID     fileID `json:"id"`
	Offset int64  `json:"offset"`         // of bytes; in gzip, of the member that is read
	Lines  int64  `json:"skip,omitempty"` // bytes of that member that were read, uncompressed
	Long   bool   `json:"long,omitempty"` // in a line that is too long
	Head   uint64 `json:"head"`           // hash of the first bytes
	Length int    `json:"length"`         // how many they are
}

// possible reports whether save could have written it; the rest of what may be
// wrong with it shows when its file is opened.
func (p *Place) possible() bool {
	return p.Offset >= 0 && p.Lines >= 0 && p.Length >= 0 && p.Length <= headBytes
}

// headBytes is the part of a file's beginning that tells it from another that took
// its place.
const headBytes = 256

// file is one that is followed.
type file struct {
	place   Place
	size    int64
	changed time.Time
	more    bool // it was not read to its end
	missing int  // polls since it was seen
	barred  bool // it could not be opened, and that was reported
}

// verify makes sure that the place is one of this very file: one that became
// shorter, or begins with other bytes, is read from the start. With an error it is
// as it was.
func (f *file) verify(r io.ReaderAt, size int64) error {
	place := f.place
	if place.Length > 0 {
		head, err := headOf(r, place.Length)
		if err != nil {
			return err
		}
		if head != place.Head {
			place = Place{ID: place.ID}
		}
	}
	if place.Offset > size {
		place = Place{ID: place.ID}
	}
	if length := int(min(size, headBytes)); place.Length < length {
		head, err := headOf(r, length)
		if err != nil {
			return err
		}
		place.Length, place.Head = length, head
	}
	f.place = place
	return nil
}

func headOf(r io.ReaderAt, length int) (uint64, error) {
	head := make([]byte, length)
	n, err := r.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	h := fnv.New64a()
	_, _ = h.Write(head[:n])
	return h.Sum64(), nil
}

// forgetAfter bounds the polls in which a file may be gone, while it is rotated, until
// its place is forgotten.
const forgetAfter = 60

func (r *Reader) forget(present map[fileID]bool) {
	for id, f := range r.files {
		if present[id] {
			f.missing = 0
		} else if f.missing++; f.missing > forgetAfter {
			delete(r.files, id)
			r.dirty = true
		}
	}
}

func (r *Reader) restore(ctx context.Context) {
	places, err := r.Places.Load(ctx)
	if err != nil {
		r.Logger.Warn("Cannot load trace file positions; reading from the beginning", zap.Error(err))
	}
	for _, p := range places {
		if !p.possible() {
			r.Logger.Warn("Stored trace file position is corrupt; reading the file from the beginning", zap.String("file_id", string(p.ID)))
			continue
		}
		r.files[p.ID] = &file{place: p}
	}
}

// save keeps the places once the pipelines accepted what was before them.
func (r *Reader) save(ctx context.Context) {
	if !r.dirty {
		return
	}
	places := make([]Place, 0, len(r.files))
	for _, id := range slices.SortedFunc(maps.Keys(r.files), func(a, b fileID) int { return strings.Compare(string(a), string(b)) }) {
		places = append(places, r.files[id].place)
	}
	if err := r.Places.Save(context.WithoutCancel(ctx), places); err != nil {
		r.Logger.Warn("Cannot store trace file positions; files may be read again", zap.Error(err))
		return
	}
	r.dirty = false
}

// rootsOf are the roots among the spans, one for each session: the run of its
// workflow, else the first.
func rootsOf(td ptrace.Traces) map[string]ptrace.Span {
	var roots map[string]ptrace.Span
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				id := sessionOf(span, rs)
				if id == "" || !span.ParentSpanID().IsEmpty() {
					continue
				}
				if roots == nil {
					roots = map[string]ptrace.Span{}
				}
				if _, known := roots[id]; !known || span.Name() == mcpconv.SpanWorkflow {
					roots[id] = span
				}
			}
		}
	}
	return roots
}

func sessionOf(span ptrace.Span, rs ptrace.ResourceSpans) string {
	id, ok := span.Attributes().Get(mcpconv.SessionID)
	if !ok {
		id, ok = rs.Resource().Attributes().Get(mcpconv.SessionID)
	}
	if !ok {
		return ""
	}
	return id.Str()
}
