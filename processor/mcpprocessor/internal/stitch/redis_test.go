//go:build unix

package stitch

import (
	"context"
	"encoding/hex"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

func ref(n byte) SpanRef {
	return SpanRef{Trace: pcommon.TraceID{n}, Span: pcommon.SpanID{n, '\n', 0xff}}
}

func redisClient(t *testing.T, s *redisServer, change ...func(*RedisOptions)) *Redis {
	t.Helper()
	o := RedisOptions{Endpoint: s.Addr, Prefix: "test:", TTL: time.Minute}
	for _, f := range change {
		f(&o)
	}
	r := NewRedis(&o)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	return r
}

func ask(t *testing.T, r *Redis, q Query) Query {
	t.Helper()
	qs := []Query{q}
	require.NoError(t, r.Ask(t.Context(), qs))
	return qs[0]
}

func TestRedisClaims(t *testing.T) {
	a, b, v := redisClient(t, startRedis(t)), (*Redis)(nil), SharedHash("request-1")
	b = a
	assert.Nil(t, ask(t, a, Query{Kind: GetClaim, Value: v}).Claim)

	got := ask(t, a, Query{Kind: PutClaim, Value: v, Span: ref(1)})
	assert.Equal(t, &Claim{SpanRef: ref(1)}, got.Claim, "its own")
	assert.Nil(t, got.Root)
	assert.Equal(t, &Claim{SpanRef: ref(1)}, ask(t, b, Query{Kind: PutClaim, Value: v, Span: ref(2)}).Claim, "the first")
	assert.Equal(t, &Claim{SpanRef: ref(1)}, ask(t, b, Query{Kind: PutRoot, Value: v, Span: ref(3)}).Claim)
	assert.Equal(t, &Root{SpanRef: ref(3)}, ask(t, a, Query{Kind: PutClaim, Value: v, Span: ref(1)}).Root)

	ask(t, b, Query{Kind: SetClaim, Value: v, Span: ref(4)})
	assert.Equal(t, &Claim{SpanRef: ref(4)}, ask(t, a, Query{Kind: GetClaim, Value: v}).Claim, "the outer one")

	ask(t, b, Query{Kind: MarkAmbiguous, Value: v})
	assert.True(t, ask(t, a, Query{Kind: GetClaim, Value: v}).Claim.Ambiguous)
	assert.True(t, ask(t, a, Query{Kind: PutClaim, Value: v, Span: ref(1)}).Claim.Ambiguous, "permanently")
}

func TestRedisDecisions(t *testing.T) {
	r := redisClient(t, startRedis(t))
	join := Decision{Join: true, To: ref(1), Root: pcommon.SpanID{9}}
	assert.False(t, ask(t, r, Query{Kind: GetDecision, Trace: pcommon.TraceID{1}}).Decided)
	got := ask(t, r, Query{Kind: PutDecision, Trace: pcommon.TraceID{1}, Decision: join})
	assert.True(t, got.Decided)
	assert.Equal(t, join, got.Decision)
	got = ask(t, r, Query{Kind: PutDecision, Trace: pcommon.TraceID{1}})
	assert.Equal(t, join, got.Decision, "the first decision counts")
	assert.Equal(t, Decision{}, ask(t, r, Query{Kind: PutDecision, Trace: pcommon.TraceID{2}}).Decision)
	got = ask(t, r, Query{Kind: GetDecision, Trace: pcommon.TraceID{2}})
	assert.True(t, got.Decided)
}

func TestRedisManyInOrder(t *testing.T) {
	r := redisClient(t, startRedis(t))
	qs := make([]Query, 2*chunk+1)
	for i := range qs {
		qs[i] = Query{Kind: PutDecision, Trace: pcommon.TraceID{byte(i), byte(i >> 8)}, Decision: Decision{Join: true, To: ref(byte(i))}}
	}
	require.NoError(t, r.Ask(t.Context(), qs))
	for i := range qs {
		require.Equal(t, ref(byte(i)), qs[i].Decision.To)
	}
}

func TestRedisKeysExpireAndHaveThePrefix(t *testing.T) {
	s := startRedis(t)
	r := redisClient(t, s, func(o *RedisOptions) { o.Prefix, o.TTL = "mine:", 90*time.Second })
	ask(t, r, Query{Kind: PutClaim, Value: SharedHash("a secret"), Span: ref(1)})
	ask(t, r, Query{Kind: PutRoot, Value: SharedHash("a secret"), Span: ref(1)})
	ask(t, r, Query{Kind: MarkAmbiguous, Value: SharedHash("another secret")})
	ask(t, r, Query{Kind: PutDecision, Trace: pcommon.TraceID{1}})
	_, err := r.Check(t.Context())
	require.NoError(t, err)

	plain := redis.NewClient(&redis.Options{Addr: s.Addr})
	defer plain.Close()
	keys, err := plain.Keys(t.Context(), "*").Result()
	require.NoError(t, err)
	assert.Len(t, keys, 5)
	for _, key := range keys {
		assert.Regexp(t, `^mine:[crdm]:[0-9a-f]+$`, key)
		ttl, err := plain.TTL(t.Context(), key).Result()
		require.NoError(t, err)
		assert.InDelta(t, 90, ttl.Seconds(), 30)
	}
}

func TestRedisForgets(t *testing.T) {
	s := startRedis(t)
	r := redisClient(t, s)
	check := func() bool {
		remembers, err := r.Check(t.Context())
		require.NoError(t, err)
		return remembers
	}
	assert.False(t, check(), "this replica is new")
	assert.True(t, check())

	s.Kill()
	_, err := r.Check(t.Context())
	require.Error(t, err)
	require.Error(t, r.Ask(t.Context(), []Query{{Kind: GetDecision}}))
	s.Run()
	require.Eventually(t, func() bool { _, err := r.Check(t.Context()); return err == nil }, 10*time.Second, time.Millisecond)
	assert.True(t, check())
	s.Kill()
	s.Run()
	require.Eventually(t, func() bool { remembers, err := r.Check(t.Context()); return err == nil && !remembers }, 10*time.Second, time.Millisecond, "it was empty")
}

func TestRedisPassword(t *testing.T) {
	s := startRedis(t, "--user", "stitcher", "on", ">right", "~*", "+@all", "--user", "default", "off")
	r := redisClient(t, s, func(o *RedisOptions) { o.Username, o.Password = "stitcher", "right" })
	_, err := r.Check(t.Context())
	require.NoError(t, err)
	wrong := redisClient(t, s, func(o *RedisOptions) { o.Username, o.Password = "stitcher", "wrong-word" })
	_, err = wrong.Check(t.Context())
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "wrong-word")
}

// TestRedisHangs: the server accepts connections and does not answer.
func TestRedisHangs(t *testing.T) {
	s := startRedis(t)
	r := redisClient(t, s)
	s.Stop()
	defer s.Continue()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	require.Error(t, r.Ask(ctx, []Query{{Kind: GetDecision}}))
	require.NoError(t, ctx.Err(), "it gave up by itself")
}

func TestForeignKeys(t *testing.T) {
	for _, text := range []string{"", "x", "jx", "!!", string(make([]byte, 23)), string(make([]byte, 25)), string(make([]byte, decisionSize))} {
		assert.Nil(t, decodeClaim(text))
		assert.Nil(t, decodeRoot(text))
		_, ok := decodeDecision(text)
		assert.False(t, ok)
	}
}

// TestForeignTypes: another program's key counts as missing, and does not
// spoil the answers to other queries.
func TestForeignTypes(t *testing.T) {
	s := startRedis(t)
	r := redisClient(t, s)
	plain := redis.NewClient(&redis.Options{Addr: s.Addr})
	defer plain.Close()
	v, other := SharedHash("request-1"), SharedHash("request-2")
	require.NoError(t, plain.LPush(t.Context(), "test:"+claimKey+hex.EncodeToString(v[:]), "x").Err())
	qs := []Query{{Kind: GetClaim, Value: v}, {Kind: PutClaim, Value: other, Span: ref(1)}}
	require.NoError(t, r.Ask(t.Context(), qs))
	assert.Nil(t, qs[0].Claim)
	assert.Equal(t, &Claim{SpanRef: ref(1)}, qs[1].Claim)
}
