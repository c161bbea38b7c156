package stitch

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.uber.org/zap"
)

// Kind names what a query asks of the shared index.
type Kind uint8

const (
	// PutClaim stores Span as the claim of Value unless there is one. The answer
	// is the stored claim, and the root of Value if one left without a client.
	PutClaim Kind = iota
	// PutRoot stores Span as the root of Value that left without a client. The
	// answer is the claim of Value.
	PutRoot
	// GetClaim reads the claim of Value.
	GetClaim
	// SetClaim stores Span as the claim of Value, whatever there is.
	SetClaim
	// MarkAmbiguous marks the claim of Value as ambiguous.
	MarkAmbiguous
	// PutDecision stores the decision about Trace unless there is one. The answer
	// is the stored one.
	PutDecision
	// GetDecision reads the decision about Trace.
	GetDecision
)

// Query is a query to the shared index, and its answer.
type Query struct {
	Kind     Kind
	Value    Value
	Span     SpanRef
	Mine     Claim // of Span, for PutClaim
	Trace    pcommon.TraceID
	Decision Decision

	// Claim answers PutClaim, PutRoot and GetClaim; nil if there is none.
	Claim *Claim
	// Root answers PutClaim; nil if there is none.
	Root *Root
	// Decided reports whether Decision is an answer.
	Decided bool
}

// RedisOptions says where the index is.
type RedisOptions struct {
	Endpoint           string // host:port
	TLS                *tls.Config
	Username, Password string
	Prefix             string        // of every key
	TTL                time.Duration // of every key
	Logger             *zap.Logger
}

// Redis is the index that all replicas share: any Redis from 6.2, or a Valkey. It
// is safe for concurrent use.
type Redis struct {
	client *redis.Client
	prefix string
	ttl    time.Duration
	marker string // this replica's key, which is missing once the server lost its data
}

const (
	redisTimeout = 250 * time.Millisecond
	redisPool    = 8
	chunk        = 1000 // queries in one round trip
)

// Kinds of keys, behind the prefix.
const (
	claimKey    = "c:"
	rootKey     = "r:"
	decisionKey = "d:"
	markerKey   = "m:"
)

// debugLog is where the library prints to, whose methods return the same errors. There
// is one for all its clients in the process, those of other components too, and none for
// a client: so the lines are kept, and say whose they may be.
type debugLog struct{ logger *zap.Logger }

// Printf implements what redis.SetLogger wants.
func (l debugLog) Printf(_ context.Context, format string, args ...any) {
	if line := l.logger.Check(zap.DebugLevel, "A Redis client of this process reports"); line != nil {
		line.Write(zap.String("text", fmt.Sprintf(format, args...)))
	}
}

// NewRedis returns without connecting. The index tries everything once and does
// not wait, because its caller can do without an answer.
func NewRedis(o *RedisOptions) *Redis {
	if o.Logger != nil {
		redis.SetLogger(debugLog{o.Logger})
	}
	id := make([]byte, 8)
	_, _ = rand.Read(id) // never fails
	return &Redis{
		prefix: o.Prefix, ttl: o.TTL, marker: o.Prefix + markerKey + hex.EncodeToString(id),
		client: redis.NewClient(&redis.Options{
			Addr: o.Endpoint, TLSConfig: o.TLS, Username: o.Username, Password: o.Password, ClientName: "otelcol-mcp",
			MaxRetries: -1, DialTimeout: redisTimeout, DialerRetries: 1, ReadTimeout: redisTimeout, WriteTimeout: redisTimeout, PoolTimeout: redisTimeout,
			ContextTimeoutEnabled: true, PoolSize: redisPool,
		}),
	}
}

// Ask answers the queries in place, a thousand in a round trip. After an error
// ignore all answers; what the queries store may have been stored.
func (r *Redis) Ask(ctx context.Context, qs []Query) error {
	for len(qs) > 0 {
		n := min(len(qs), chunk)
		if err := r.ask(ctx, qs[:n]); err != nil {
			return err
		}
		qs = qs[n:]
	}
	return nil
}

func (r *Redis) ask(ctx context.Context, qs []Query) error {
	pipe := r.client.Pipeline()
	answers := make([]func(*Query), len(qs))
	for i := range qs {
		answers[i] = r.command(ctx, pipe, &qs[i])
	}
	// The library reports a missing key as an error.
	if cmds, err := pipe.Exec(ctx); err != nil {
		for _, cmd := range cmds {
			if err := cmd.Err(); err != nil && !isMissing(err) {
				return err
			}
		}
	}
	for i := range qs {
		answers[i](&qs[i])
	}
	return nil
}

// isMissing reports whether a key is missing, or belongs to another program.
func isMissing(err error) bool {
	return errors.Is(err, redis.Nil) || redis.HasErrorPrefix(err, "WRONGTYPE")
}

// command adds the query's commands to the pipeline, and returns the function that
// reads the answer.
func (r *Redis) command(ctx context.Context, pipe redis.Pipeliner, q *Query) func(*Query) {
	value := hex.EncodeToString(q.Value[:])
	claim, root, decision := r.prefix+claimKey+value, r.prefix+rootKey+value, r.prefix+decisionKey+hex.EncodeToString(q.Trace[:])
	switch q.Kind {
	case PutClaim:
		pipe.SetNX(ctx, claim, q.Span.encode(), r.ttl)
		c, t := pipe.Get(ctx, claim), pipe.Get(ctx, root)
		return func(q *Query) { q.Claim, q.Root = decodeClaim(c.Val()), decodeRoot(t.Val()) }
	case PutRoot:
		pipe.Set(ctx, root, q.Span.encode(), r.ttl)
		c := pipe.Get(ctx, claim)
		return func(q *Query) { q.Claim = decodeClaim(c.Val()) }
	case GetClaim:
		c := pipe.Get(ctx, claim)
		return func(q *Query) { q.Claim = decodeClaim(c.Val()) }
	case SetClaim:
		pipe.Set(ctx, claim, q.Span.encode(), r.ttl)
		return func(*Query) {}
	case MarkAmbiguous:
		pipe.Set(ctx, claim, ambiguous, r.ttl)
		return func(*Query) {}
	case PutDecision:
		pipe.SetNX(ctx, decision, q.Decision.encode(), r.ttl)
	case GetDecision:
	}
	d := pipe.Get(ctx, decision)
	return func(q *Query) { q.Decision, q.Decided = decodeDecision(d.Val()) }
}

// Check reports whether the server still has this replica's marker; if not, it
// lost its data. An error means that it does not answer.
func (r *Redis) Check(ctx context.Context) (remembers bool, err error) {
	err = r.client.SetArgs(ctx, r.marker, "1", redis.SetArgs{Get: true, TTL: r.ttl}).Err()
	if errors.Is(err, redis.Nil) {
		return false, nil
	}
	return err == nil, err
}

// Close closes the connections.
func (r *Redis) Close() error { return r.client.Close() }

// Records as Redis stores them: a span is its trace id and span id, 24 bytes.
const (
	ambiguous    = "!" // a claim
	stays        = "s" // a decision
	joins        = 'j' // a decision, then the client span and the span id of the root
	spanRefSize  = 24
	decisionSize = 1 + spanRefSize + 8
)

func (s SpanRef) encode() string { return string(s.Trace[:]) + string(s.Span[:]) }

func decodeSpanRef(text string) (s SpanRef, ok bool) {
	if len(text) != spanRefSize {
		return s, false
	}
	copy(s.Trace[:], text)
	copy(s.Span[:], text[16:])
	return s, true
}

// decodeClaim returns nil for what is no claim: the key is another program's.
func decodeClaim(text string) *Claim {
	if text == ambiguous {
		return &Claim{Ambiguous: true}
	}
	if s, ok := decodeSpanRef(text); ok {
		return &Claim{SpanRef: s}
	}
	return nil
}

func decodeRoot(text string) *Root {
	if s, ok := decodeSpanRef(text); ok {
		return &Root{SpanRef: s}
	}
	return nil
}

func (d Decision) encode() string {
	if !d.Join {
		return stays
	}
	return string(joins) + d.To.encode() + string(d.Root[:])
}

func decodeDecision(text string) (d Decision, ok bool) {
	if text == stays {
		return d, true
	}
	if len(text) != decisionSize || text[0] != joins {
		return d, false
	}
	d.Join = true
	d.To, _ = decodeSpanRef(text[1 : 1+spanRefSize])
	d.Root = pcommon.SpanID([]byte(text[1+spanRefSize:]))
	return d, true
}
