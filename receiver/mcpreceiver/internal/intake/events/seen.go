package events

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"slices"
	"strconv"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.uber.org/zap"
)

// How much a [Seen] remembers: what is in its pages, in memory as in storage.
const (
	pageKeys  = 256
	pageCount = 256
	keyBytes  = 16
)

// seenKey stands for an event: a hash of the server's endpoint and the event's id.
type seenKey [keyBytes]byte

// seenKeyOf is the key of an event of a server.
func seenKeyOf(endpoint, id string) (k seenKey) {
	sum := sha256.Sum256([]byte("event:" + endpoint + "/" + id))
	copy(k[:], sum[:])
	return k
}

// Seen holds which events were recorded, so that each is once, however it comes.
// It remembers the last 65,536, about 10 MiB, over restarts if storage keeps it.
// It is safe for concurrent use.
type Seen struct {
	storage storage.Client
	logger  *zap.Logger

	mu     sync.Mutex
	seen   *simplelru.LRU[seenKey, struct{}]
	flight map[seenKey]chan struct{} // being recorded; closed when that is over
	page   []byte                    // the number of the page, then its keys
	number uint64
}

// OpenSeen reads what was recorded before.
func OpenSeen(ctx context.Context, client storage.Client, logger *zap.Logger) (*Seen, error) {
	seen, err := simplelru.NewLRU[seenKey, struct{}](pageKeys*pageCount, nil)
	if err != nil {
		return nil, err
	}
	e := &Seen{storage: client, logger: logger, seen: seen, flight: map[seenKey]chan struct{}{}}
	pages, err := e.pages(ctx)
	if err != nil {
		return nil, err
	}
	for _, page := range pages {
		e.read(page)
	}
	e.turn()
	return e, nil
}

func pageName(number uint64) string { return "events/seen/" + strconv.FormatUint(number%pageCount, 10) }

// pages returns those in storage, the oldest first.
func (e *Seen) pages(ctx context.Context) ([][]byte, error) {
	var all []*storage.Operation
	for i := range uint64(pageCount) {
		all = append(all, storage.GetOperation(pageName(i)))
	}
	if err := e.storage.Batch(ctx, all...); err != nil {
		return nil, err
	}
	var pages [][]byte
	for _, op := range all {
		if len(op.Value) >= 8 && len(op.Value)%keyBytes == 8 {
			pages = append(pages, op.Value)
		}
	}
	slices.SortFunc(pages, func(x, y []byte) int { return slices.Compare(x[:8], y[:8]) })
	return pages, nil
}

// read takes a page in; the last one is written on.
func (e *Seen) read(page []byte) {
	e.number = binary.BigEndian.Uint64(page)
	e.page = slices.Clone(page)
	for at := 8; at < len(page); at += keyBytes {
		e.seen.Add(seenKey(page[at:at+keyBytes]), struct{}{})
	}
}

// turn begins a new page when the last is full.
func (e *Seen) turn() {
	if len(e.page) != 0 && len(e.page) < 8+pageKeys*keyBytes {
		return
	}
	if len(e.page) != 0 {
		e.number++
	}
	e.page = binary.BigEndian.AppendUint64(make([]byte, 0, 8+pageKeys*keyBytes), e.number)
}

// Begin is true if the event is to be recorded by the caller, who must call
// Finish then. While another one records it, claim waits.
func (e *Seen) Begin(ctx context.Context, k seenKey) (bool, error) {
	for {
		e.mu.Lock()
		busy := e.flight[k]
		if busy == nil {
			defer e.mu.Unlock()
			if _, seen := e.seen.Get(k); seen {
				return false, nil
			}
			e.flight[k] = make(chan struct{})
			return true, nil
		}
		e.mu.Unlock()
		select {
		case <-busy:
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}

// Finish ends what Begin began. What was recorded is kept.
func (e *Seen) Finish(ctx context.Context, k seenKey, recorded bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	close(e.flight[k])
	delete(e.flight, k)
	if !recorded {
		return
	}
	e.seen.Add(k, struct{}{})
	e.page = append(e.page, k[:]...)
	e.keep(ctx, storage.SetOperation(pageName(e.number), slices.Clone(e.page)))
	e.turn()
}

// Get reads what Put wrote; nil if there is nothing.
func (e *Seen) Get(ctx context.Context, key string) ([]byte, error) {
	return e.storage.Get(ctx, key)
}

// Put stores where a subscription is.
func (e *Seen) Put(ctx context.Context, ops ...*storage.Operation) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.keep(ctx, ops...)
}

// keep writes. What cannot be written comes again after a restart, with the same
// span IDs, which is why that is no reason to refuse an event.
func (e *Seen) keep(ctx context.Context, ops ...*storage.Operation) {
	if len(ops) == 0 {
		return
	}
	if err := e.storage.Batch(context.WithoutCancel(ctx), ops...); err != nil && !errors.Is(err, context.Canceled) {
		e.logger.Warn("Storage cannot be written; some events may be recorded again after a restart", zap.Error(err))
	}
}
