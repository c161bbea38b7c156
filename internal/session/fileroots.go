package session

import (
	"strings"
	"sync"

	"github.com/otelcol-mcp/otelcol-mcp/internal/session/activity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/tracecontext"
)

// fileRootsMax is of how many sessions that are not known yet the roots in files are
// remembered. Beyond it the oldest are forgotten, and with them a link.
const fileRootsMax = 1000

// fileRoots are roots that were read from files before their sessions were known. A
// transaction that is rolled back notes them again. It is safe for concurrent use.
type fileRoots struct {
	mu    sync.Mutex
	roots map[string]tracecontext.Context
	order [fileRootsMax]string // a ring
	next  int
}

func (f *fileRoots) put(session string, root tracecontext.Context) {
	if len(session) > activity.IDBytes {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, known := f.roots[session]; !known {
		if f.roots == nil {
			f.roots = map[string]tracecontext.Context{}
		}
		session = strings.Clone(session)
		delete(f.roots, f.order[f.next])
		f.order[f.next] = session
		f.next = (f.next + 1) % fileRootsMax
	}
	f.roots[session] = root
}

// of is the root of a session, not valid if none was found.
func (f *fileRoots) of(session string) tracecontext.Context {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.roots[session]
}
