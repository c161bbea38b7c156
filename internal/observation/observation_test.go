package observation

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

// decode reads a record's members; what is no member is returned by name.
func decode(t *testing.T, text string) (r Record, others []string) {
	var c jsonscan.Cursor
	c.Reset([]byte(text))
	c.EnterObject()
	for key, ok := c.Key(); ok; key, ok = c.Key() {
		if from := c.Offset(); !r.Member(key, &c) {
			require.Equal(t, from, c.Offset(), "a member that is not taken must not be stepped over")
			others = append(others, key)
			c.Value()
		}
	}
	require.NoError(t, c.Err())
	return r, others
}

func TestMembers(t *testing.T) {
	r, others := decode(t, `{"time":1771516800000000005,"connection":"c","session":"s","host":"h","direction":"client_to_server","transport":"t",
		"server":"sv","server_uri":"su","client":"cl","protocol":"acp","mcp_session_id":"m","request_id":"r","traceparent":"tp",
		"tracestate":"ts","bytes":9,"reduced":true,"unanswered":true,"http_status":502,"end":{"reason":"x","exit_code":-1,"y":[]},"transport_status":"connected",
		"message":{},"other":[1,{"time":7}]}`)
	assert.Equal(t, Record{
		Time: 1771516800000000005, Connection: "c", Session: "s", Host: "h", Direction: ClientToServer, Transport: "t", Server: "sv",
		ServerURI: "su", Client: "cl", Protocol: ProtocolACP, MCPSessionID: "m", RequestID: "r", Traceparent: "tp",
		Tracestate: "ts", Bytes: 9, Reduced: true, Unanswered: true, HTTPStatus: 502, TransportStatus: "connected",
		End: End{Present: true, Reason: "x", ExitCode: -1, HasExitCode: true},
	}, r)
	assert.Equal(t, []string{"message", "other"}, others)
}

func TestMembersAreThoseThatAreTaken(t *testing.T) {
	for _, name := range Members {
		_, others := decode(t, `{"`+name+`":null}`)
		assert.Empty(t, others, name)
	}
	names := reflect.TypeFor[Record]().NumField() - 1 // Invalid is none
	assert.Len(t, Members, names)
}

func TestTime(t *testing.T) {
	const invalid = "time is neither RFC 3339 nor Unix nanoseconds"
	for _, tt := range []struct {
		text    string
		want    int64
		invalid string
	}{
		{`1771516800123456789`, 1771516800123456789, ""},
		{`100000000000000000`, 100000000000000000, ""},
		{`1771516800123`, 0, invalid},    // milliseconds
		{`1771516800123456`, 0, invalid}, // microseconds
		{`"2026-02-19T16:00:00.123456789Z"`, 1771516800123456789, ""},
		{`"2026-02-19T16:00:00Z"`, 1771516800000000000, ""},
		{`"2026-02-19T17:00:00+01:00"`, 1771516800000000000, ""},
		{`"2026-02-19T16:00:00\u005a"`, 1771516800000000000, ""},
		{`0`, 0, invalid},
		{`-1`, 0, invalid},
		{`1.5`, 0, invalid},
		{`1e30`, 0, invalid},
		{`null`, 0, invalid},
		{`true`, 0, invalid},
		{`{}`, 0, invalid},
		{`""`, 0, invalid},
		{`"2026-02-19"`, 0, invalid},
		{`"2026-02-19T16:00:00"`, 0, invalid},
		{`"2026-02-30T16:00:00Z"`, 0, invalid},
		{`"1969-12-31T23:59:59Z"`, 0, invalid},
		{`"0001-01-01T00:00:00Z"`, 0, invalid},
		{`"9999-01-01T00:00:00Z"`, 0, invalid}, // its nanoseconds do not fit
		{`"2500-01-01T00:00:00Z"`, 0, invalid},
		{`"2700-01-01T00:00:00Z"`, 0, invalid}, // they wrap around to positive ones
		{`"1500-01-01T00:00:00Z"`, 0, invalid},
	} {
		r, _ := decode(t, `{"time":`+tt.text+`}`)
		assert.Equal(t, tt.want, r.Time, tt.text)
		assert.Equal(t, tt.invalid, r.Invalid, tt.text)
	}
}

func TestDirection(t *testing.T) {
	for text, want := range map[string]string{
		`"client_to_server"`: ClientToServer, `"server_to_client"`: ServerToClient,
		`"up"`: "", `""`: "", `7`: "", `null`: "",
	} {
		r, _ := decode(t, `{"direction":`+text+`}`)
		assert.Equal(t, want, r.Direction, text)
		assert.Equal(t, want == "", r.Invalid != "", text)
	}
}

func TestStringsOfTheWrongType(t *testing.T) {
	r, _ := decode(t, `{"session":7}`)
	assert.Equal(t, Record{Invalid: "session is not a string"}, r)
	r, _ = decode(t, `{"session":null,"client":{}}`)
	assert.Equal(t, Record{Invalid: "client is not a string"}, r)
	r, _ = decode(t, `{"bytes":"7","reduced":1}`)
	assert.Equal(t, Record{}, r)
}

func TestEnd(t *testing.T) {
	for text, want := range map[string]End{
		`{}`:                                {Present: true},
		`{"reason":7,"exit_code":"1"}`:      {Present: true},
		`{"reason":"r","exit_code":0}`:      {Present: true, Reason: "r", HasExitCode: true},
		`{"exit_code":1.5}`:                 {Present: true},
		`null`:                              {},
		`"closed"`:                          {},
		`[{"reason":"r"}]`:                  {},
		`{"x":{"reason":"r"},"reason":"s"}`: {Present: true, Reason: "s"},
	} {
		r, _ := decode(t, `{"end":`+text+`}`)
		assert.Equal(t, want, r.End, text)
	}
}
