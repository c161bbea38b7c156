package main

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// selects reports whether a query selects a span.
type selects func(pcommon.Resource, ptrace.Span) bool

var tokens = regexp.MustCompile(`"[^"]*"|&&|\|\||=~|!~|!=|>=|<=|[(){}=<>]|[^\s(){}=<>!&|"]+`)

// reader reads one spanset filter of TraceQL, which is as much of it as dashboards use.
type reader struct {
	t    *testing.T
	rest []string
}

func parse(t *testing.T, query string) selects {
	t.Helper()
	r := &reader{t, tokens.FindAllString(query, -1)}
	r.take("{")
	q := r.any()
	r.take("}")
	require.Empty(t, r.rest, query)
	return q
}

func (r *reader) next() string {
	require.NotEmpty(r.t, r.rest)
	first := r.rest[0]
	r.rest = r.rest[1:]
	return first
}

func (r *reader) take(want string) { require.Equal(r.t, want, r.next()) }

func (r *reader) follows(token string) bool { return len(r.rest) > 0 && r.rest[0] == token }

func (r *reader) any() selects {
	left := r.all()
	for r.follows("||") {
		r.take("||")
		one, other := left, r.all()
		left = func(res pcommon.Resource, s ptrace.Span) bool { return one(res, s) || other(res, s) }
	}
	return left
}

func (r *reader) all() selects {
	left := r.one()
	for r.follows("&&") {
		r.take("&&")
		one, other := left, r.one()
		left = func(res pcommon.Resource, s ptrace.Span) bool { return one(res, s) && other(res, s) }
	}
	return left
}

func (r *reader) one() selects {
	if r.follows("(") {
		r.take("(")
		q := r.any()
		r.take(")")
		return q
	}
	field, op, value := r.next(), r.next(), r.next()
	if field == "duration" {
		return r.longer(op, value)
	}
	value = strings.Trim(value, `"`)
	is := regexp.MustCompile("^(?:" + value + ")$").MatchString // TraceQL's expressions match the whole
	if op == "=" || op == "!=" {
		is = func(text string) bool { return text == value }
	} else {
		require.Contains(r.t, []string{"=~", "!~"}, op)
	}
	return func(res pcommon.Resource, s ptrace.Span) bool {
		text, known := r.read(field, res, s)
		return known && is(text) != strings.HasPrefix(op, "!")
	}
}

func (r *reader) longer(op, value string) selects {
	limit, err := time.ParseDuration(value)
	require.NoError(r.t, err)
	require.Equal(r.t, ">", op)
	return func(_ pcommon.Resource, s ptrace.Span) bool {
		return time.Duration(s.EndTimestamp()-s.StartTimestamp()) > limit
	}
}

// read returns what a span says of a field.
func (r *reader) read(field string, res pcommon.Resource, s ptrace.Span) (text string, known bool) {
	scope, key, _ := strings.Cut(field, ".")
	var v pcommon.Value
	switch scope {
	case "span":
		v, known = s.Attributes().Get(key)
	case "resource":
		v, known = res.Attributes().Get(key)
	case "name":
		return s.Name(), true
	case "kind":
		return strings.ToLower(s.Kind().String()), true
	case "status":
		return strings.ToLower(s.Status().Code().String()), true
	default:
		require.Fail(r.t, "unknown field", field)
	}
	if !known {
		return "", false
	}
	return v.AsString(), true
}

// TestTraceQL: the queries are read as Tempo documents them.
func TestTraceQL(t *testing.T) {
	s, res := ptrace.NewSpan(), pcommon.NewResource()
	s.SetName("tools/call price")
	s.SetEndTimestamp(pcommon.Timestamp(11 * time.Second))
	s.Status().SetCode(ptrace.StatusCodeError)
	s.Attributes().PutStr("session.id", "s")
	res.Attributes().PutStr("service.name", "shop")
	for query, want := range map[string]bool{
		`{ span.session.id = "s" }`:                                                  true,
		`{ span.session.id != "s" }`:                                                 false,
		`{ span.other != "s" }`:                                                      false,
		`{ resource.service.name =~ "s.*" && duration > 10s }`:                       true,
		`{ name =~ "tools" }`:                                                        false,
		`{ name !~ "tools" && (status = ok || duration > 1m) }`:                      false,
		`{ span.session.id = "t" || span.session.id = "s" && (status = error) }`:     true,
		`{ (span.session.id = "t" || span.session.id = "s") && kind = unspecified }`: true,
	} {
		require.Equal(t, want, parse(t, query)(res, s), query+strconv.FormatBool(want))
	}
}
