package index

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// RedisOptions say where the index is.
type RedisOptions struct {
	Endpoint           string // host:port
	TLS                *tls.Config
	Username, Password string
	Prefix             string        // of every key
	TTL                time.Duration // of every key
}

// Redis is an index that all replicas share: any Redis from 6.2, or a Valkey. It
// is safe for concurrent use.
type Redis struct {
	client *redis.Client
	prefix string
	ttl    time.Duration
	marker string // this replica's key, by which it sees that the server forgot
}

const (
	redisTimeout = 250 * time.Millisecond
	redisPool    = 8
	chunk        = 1000 // commands in one round trip
)

// Kinds of keys, behind the prefix.
const (
	claimKey    = "c:"
	rootKey     = "r:"
	decisionKey = "d:"
	markerKey   = "m:"
)

// Values. Sites are 24 bytes, ids as they are.
const (
	twice    = "!"
	stays    = "s"
	joins    = 'j'
	siteSize = 24
	joinSize = 1 + siteSize + 8
)

// quiet drops what the library would print: it returns the same as errors.
type quiet struct{}

func (quiet) Printf(context.Context, string, ...any) {}

var hush sync.Once

// NewRedis does not connect yet. The index tries everything once, and does not
// wait: whoever asks can do without it.
func NewRedis(o *RedisOptions) *Redis {
	hush.Do(func() { redis.SetLogger(quiet{}) })
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

// Ask answers the questions in place, a thousand in a round trip. After an error
// none of the answers counts, but what was to be stored may be.
func (r *Redis) Ask(ctx context.Context, qs []Question) error {
	for len(qs) > 0 {
		n := min(len(qs), chunk)
		if err := r.ask(ctx, qs[:n]); err != nil {
			return err
		}
		qs = qs[n:]
	}
	return nil
}

func (r *Redis) ask(ctx context.Context, qs []Question) error {
	pipe := r.client.Pipeline()
	answers := make([]func(*Question), len(qs))
	for i := range qs {
		answers[i] = r.command(ctx, pipe, &qs[i])
	}
	// A missing key is reported as an error like any other.
	if cmds, err := pipe.Exec(ctx); err != nil {
		for _, cmd := range cmds {
			if err := cmd.Err(); err != nil && !isNothing(err) {
				return err
			}
		}
	}
	for i := range qs {
		answers[i](&qs[i])
	}
	return nil
}

// isNothing is for a key that is not there, or is somebody else's.
func isNothing(err error) bool {
	return errors.Is(err, redis.Nil) || redis.HasErrorPrefix(err, "WRONGTYPE")
}

// command adds what the question needs to the pipeline, and returns what reads
// the answer.
func (r *Redis) command(ctx context.Context, pipe redis.Pipeliner, q *Question) func(*Question) {
	claim, root, decision := r.prefix+claimKey+hex.EncodeToString(q.Value[:]), r.prefix+rootKey+hex.EncodeToString(q.Value[:]), r.prefix+decisionKey+hex.EncodeToString(q.Trace[:])
	switch q.Kind {
	case AskClaim:
		pipe.SetNX(ctx, claim, site(q.Site), r.ttl)
		c, t := pipe.Get(ctx, claim), pipe.Get(ctx, root)
		return func(q *Question) { q.Claim, q.Root = readClaim(c.Val()), readRoot(t.Val()) }
	case AskRoot:
		pipe.Set(ctx, root, site(q.Site), r.ttl)
		c := pipe.Get(ctx, claim)
		return func(q *Question) { q.Claim = readClaim(c.Val()) }
	case AskClient:
		c := pipe.Get(ctx, claim)
		return func(q *Question) { q.Claim = readClaim(c.Val()) }
	case AskTwice:
		pipe.Set(ctx, claim, twice, r.ttl)
		return func(*Question) {}
	case AskDecide:
		pipe.SetNX(ctx, decision, q.Decision.text(), r.ttl)
	case AskFate:
	}
	d := pipe.Get(ctx, decision)
	return func(q *Question) { q.Decision, q.Decided = readDecision(d.Val()) }
}

// Check reports whether the server still knows this replica. An error says that
// it does not answer.
func (r *Redis) Check(ctx context.Context) (remembers bool, err error) {
	err = r.client.SetArgs(ctx, r.marker, "1", redis.SetArgs{Get: true, TTL: r.ttl}).Err()
	if errors.Is(err, redis.Nil) {
		return false, nil
	}
	return err == nil, err
}

// Close closes the connections.
func (r *Redis) Close() error { return r.client.Close() }

func site(s Site) string { return string(s.Trace[:]) + string(s.Span[:]) }

func readSite(text string) (s Site, ok bool) {
	if len(text) != siteSize {
		return s, false
	}
	copy(s.Trace[:], text)
	copy(s.Span[:], text[16:])
	return s, true
}

// readClaim is nil for what is none: somebody else's key.
func readClaim(text string) *Claim {
	if text == twice {
		return &Claim{Twice: true}
	}
	if s, ok := readSite(text); ok {
		return &Claim{Site: s}
	}
	return nil
}

func readRoot(text string) *Root {
	if s, ok := readSite(text); ok {
		return &Root{Site: s}
	}
	return nil
}

func (d Decision) text() string {
	if !d.Join {
		return stays
	}
	return string(joins) + site(d.To) + string(d.Root[:])
}

func readDecision(text string) (d Decision, ok bool) {
	if text == stays {
		return d, true
	}
	if len(text) != joinSize || text[0] != joins {
		return d, false
	}
	d.Join = true
	d.To, _ = readSite(text[1 : 1+siteSize])
	d.Root = pcommon.SpanID([]byte(text[1+siteSize:]))
	return d, true
}
