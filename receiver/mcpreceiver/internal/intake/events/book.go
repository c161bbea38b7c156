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

// How much a [Book] remembers: what is in its pages, in memory as in storage.
const (
	pageKeys  = 256
	pageCount = 256
	keyBytes  = 16
)

// key stands for an event: a hash of the server's endpoint and the event's id.
type key [keyBytes]byte

func keyOf(endpoint, id string) (k key) {
	sum := sha256.Sum256([]byte("event:" + endpoint + "/" + id))
	copy(k[:], sum[:])
	return k
}

// Book holds which events were recorded, so that each is once, however it comes.
// It remembers the last 65,536, about 10 MiB, over restarts if storage keeps it.
// It is safe for concurrent use.
type Book struct {
	storage storage.Client
	logger  *zap.Logger

	mu     sync.Mutex
	seen   *simplelru.LRU[key, struct{}]
	flight map[key]chan struct{} // being recorded; closed when that is over
	page   []byte                // the number of the page, then its keys
	number uint64
}

// OpenBook reads what was recorded before.
func OpenBook(ctx context.Context, client storage.Client, logger *zap.Logger) (*Book, error) {
	seen, err := simplelru.NewLRU[key, struct{}](pageKeys*pageCount, nil)
	if err != nil {
		return nil, err
	}
	b := &Book{storage: client, logger: logger, seen: seen, flight: map[key]chan struct{}{}}
	pages, err := b.pages(ctx)
	if err != nil {
		return nil, err
	}
	for _, page := range pages {
		b.read(page)
	}
	b.turn()
	return b, nil
}

func pageName(number uint64) string { return "events/seen/" + strconv.FormatUint(number%pageCount, 10) }

// pages are those in storage, the oldest first.
func (b *Book) pages(ctx context.Context) ([][]byte, error) {
	var all []*storage.Operation
	for i := range uint64(pageCount) {
		all = append(all, storage.GetOperation(pageName(i)))
	}
	if err := b.storage.Batch(ctx, all...); err != nil {
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
func (b *Book) read(page []byte) {
	b.number = binary.BigEndian.Uint64(page)
	b.page = slices.Clone(page)
	for at := 8; at < len(page); at += keyBytes {
		b.seen.Add(key(page[at:at+keyBytes]), struct{}{})
	}
}

// turn begins a new page when the last is full.
func (b *Book) turn() {
	if len(b.page) != 0 && len(b.page) < 8+pageKeys*keyBytes {
		return
	}
	if len(b.page) != 0 {
		b.number++
	}
	b.page = binary.BigEndian.AppendUint64(make([]byte, 0, 8+pageKeys*keyBytes), b.number)
}

// claim is true if the event is to be recorded by the caller, who must call
// settle then. While another one records it, claim waits.
func (b *Book) claim(ctx context.Context, k key) (bool, error) {
	for {
		b.mu.Lock()
		busy := b.flight[k]
		if busy == nil {
			defer b.mu.Unlock()
			if _, seen := b.seen.Get(k); seen {
				return false, nil
			}
			b.flight[k] = make(chan struct{})
			return true, nil
		}
		b.mu.Unlock()
		select {
		case <-busy:
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}

// settle ends a claim. What was recorded is kept.
func (b *Book) settle(ctx context.Context, k key, recorded bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	close(b.flight[k])
	delete(b.flight, k)
	if !recorded {
		return
	}
	b.seen.Add(k, struct{}{})
	b.page = append(b.page, k[:]...)
	b.keep(ctx, storage.SetOperation(pageName(b.number), slices.Clone(b.page)))
	b.turn()
}

// put keeps where a subscription is.
func (b *Book) put(ctx context.Context, ops ...*storage.Operation) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.keep(ctx, ops...)
}

// keep writes. What cannot be written comes again after a restart, with the same
// span IDs, which is why that is no reason to refuse an event.
func (b *Book) keep(ctx context.Context, ops ...*storage.Operation) {
	if len(ops) == 0 {
		return
	}
	if err := b.storage.Batch(context.WithoutCancel(ctx), ops...); err != nil && !errors.Is(err, context.Canceled) {
		b.logger.Warn("The storage does not keep which events were recorded; after a restart some come again", zap.Error(err))
	}
}
