// Package body reads the bodies of HTTP requests: it allocates as bytes arrive,
// never by the length that a client announces, and charges what has arrived to a
// budget over all requests in flight.
package body

import (
	"errors"
	"net/http"
	"sync/atomic"
)

// Errors of a budget. Both are answers for the client, see [Refusal].
var (
	// ErrBusy is for a body that finds no room beside the others: retryable.
	ErrBusy = errors.New("the requests in flight fill limits::in_flight_bytes: send it again later")
	// ErrOverBudget is for a body that is larger than the whole budget.
	ErrOverBudget = errors.New("the body is larger than limits::in_flight_bytes: send fewer messages at once, or raise it")
)

// Reason labels requests that the budget refused.
const Reason = "in_flight_bytes"

// Budget bounds the bytes of all bodies in flight: of what has arrived and was
// decompressed, from the moment it is read until the request is over. Nothing
// waits for room, so that no two requests can wait for each other.
//
// It counts each byte of a body once. In memory such a byte takes up to four: its
// buffer may be half empty, decoded messages copy what outlives the request, and
// pipelines and exporters copy that. So the budget is to be a quarter of the
// memory there is.
//
// A nil Budget has no bound. Its methods are safe for concurrent use.
type Budget struct {
	limit    int64
	used     atomic.Int64
	decoding *Budget // the part of it that decompressing may take
}

// NewBudget makes a budget of that many bytes. Half of them at most are for what
// decompressing takes, of which a few bytes may want much: bodies that are not
// compressed always find room beside it.
func NewBudget(limit int64) *Budget {
	return &Budget{limit: limit, decoding: &Budget{limit: limit / 2}}
}

// Used returns how many bytes are in flight now.
func (b *Budget) Used() int64 {
	if b == nil {
		return 0
	}
	return b.used.Load()
}

// admit refuses a body by the length it announces, before it is read. It
// reserves nothing: a client that announces much and sends little takes no room.
func (b *Budget) admit(announced int64) error {
	switch {
	case b == nil || announced <= 0:
		return nil
	case announced > b.limit:
		return ErrOverBudget
	case announced > b.limit-b.used.Load():
		return ErrBusy
	}
	return nil
}

// charge takes n more bytes for a body that has held bytes already.
func (b *Budget) charge(held, n int64) error {
	if b == nil {
		return nil
	}
	if n > b.limit-held {
		return ErrOverBudget
	}
	for {
		used := b.used.Load()
		if n > b.limit-used {
			return ErrBusy
		}
		if b.used.CompareAndSwap(used, used+n) {
			return nil
		}
	}
}

// chargeDecoding is charge for what decompressing takes.
func (b *Budget) chargeDecoding(held, n int64) error {
	if b == nil {
		return nil
	}
	if err := b.decoding.charge(held, n); err != nil {
		return err
	}
	err := b.charge(held, n)
	if err != nil {
		b.decoding.release(n)
	}
	return err
}

func (b *Budget) releaseDecoding(n int64) {
	if b != nil {
		b.decoding.release(n)
		b.release(n)
	}
}

func (b *Budget) release(n int64) {
	if b != nil {
		b.used.Add(-n)
	}
}

// Refusal is the answer to a body that the budget refused; ok is false for other
// errors. It sets Retry-After where sending the body again may help.
func Refusal(header http.Header, err error) (status int, text string, ok bool) {
	switch {
	case errors.Is(err, ErrBusy):
		header.Set("Retry-After", "1")
		return http.StatusTooManyRequests, ErrBusy.Error(), true
	case errors.Is(err, ErrOverBudget):
		return http.StatusRequestEntityTooLarge, ErrOverBudget.Error(), true
	}
	return 0, "", false
}
