package body

import (
	"errors"
	"io"
	"net/http"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Charge charges to the budget what another handler reads of a body, until it returns. Errors
// of reading are gRPC's, which OTLP servers answer with 429 and 400.
func (b *Budget) Charge(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		charged := &chargedBody{ReadCloser: r.Body, budget: b}
		defer func() { b.release(charged.held) }()
		r.Body = charged
		next.ServeHTTP(w, r)
	})
}

type chargedBody struct {
	io.ReadCloser
	budget *Budget
	held   int64
}

// Read implements io.Reader.
func (c *chargedBody) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	refused := c.budget.charge(c.held, int64(n))
	switch {
	case errors.Is(refused, ErrBusy):
		return 0, status.Error(codes.ResourceExhausted, refused.Error())
	case refused != nil:
		return 0, status.Error(codes.InvalidArgument, refused.Error())
	}
	c.held += int64(n)
	return n, err
}
