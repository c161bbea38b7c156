package observation

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

func TestAppend(t *testing.T) {
	r := Record{
		Time: 1771516800000000005, Connection: "c", Session: "s\n\"\\é", Direction: ClientToServer, Transport: "stdio", Bytes: 9, Reduced: true, Unanswered: true, HTTPStatus: 401,
	}
	line := r.Append([]byte("before "), []byte("{\"id\":\r\n1}"))
	assert.Equal(t, `before {"time":1771516800000000005,"connection":"c","session":"s\n\"\\é","direction":"client_to_server",`+
		`"transport":"stdio","bytes":9,"reduced":true,"unanswered":true,"http_status":401,"message":{"id":  1}}`+"\n", string(line))
	r = Record{Time: 1771516800000000005, Session: "s", End: End{Present: true, Reason: "closed", HasExitCode: true}}
	assert.Equal(t, `{"time":1771516800000000005,"session":"s","end":{"reason":"closed","exit_code":0}}`+"\n", string(r.Append(nil, nil)))
}

// What is appended is what is decoded, and it is one line.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawRecord(t)
		message := []byte(rapid.SampledFrom([]string{"", `{"jsonrpc":"2.0","method":"a"}`, "{\n\"id\" : \"\\n\",\r\"x\":[1,\t2]\n}"}).Draw(t, "message"))
		if len(message) == 0 {
			message = nil
		}
		line := want.Append(nil, message)
		assert.Equal(t, len(line)-1, bytes.IndexByte(line, '\n'), "one line")

		var got Record
		var c jsonscan.Cursor
		c.Reset(line)
		c.EnterObject()
		for key, ok := c.Key(); ok; key, ok = c.Key() {
			if got.Member(key, &c) {
				continue
			}
			assert.Equal(t, "message", key)
			value := c.Value()
			assert.Equal(t, fieldsOf(message), fieldsOf([]byte(value)))
		}
		require.NoError(t, c.Err())
		assert.True(t, c.End())
		assert.Equal(t, want, got)
	})
}

func drawRecord(t *rapid.T) Record {
	text := rapid.OneOf(rapid.Just(""), rapid.String(), rapid.StringMatching("[a-z:/-]{1,40}"))
	r := Record{
		Time:       rapid.Int64Range(leastNs, 1<<62).Draw(t, "time"),
		Connection: text.Draw(t, "connection"), Session: text.Draw(t, "session"), Host: text.Draw(t, "host"),
		Direction: rapid.SampledFrom([]string{"", ClientToServer, ServerToClient}).Draw(t, "direction"),
		Transport: text.Draw(t, "transport"), Server: text.Draw(t, "server"), ServerURI: text.Draw(t, "uri"), Client: text.Draw(t, "client"),
		Protocol: text.Draw(t, "protocol"), MCPSessionID: text.Draw(t, "mcp"), RequestID: text.Draw(t, "request"),
		Traceparent: text.Draw(t, "parent"), Tracestate: text.Draw(t, "state"), TransportStatus: text.Draw(t, "status"), AgentSession: text.Draw(t, "agent"), Process: text.Draw(t, "process"),
		Delivery: rapid.SampledFrom([]string{"", DeliveryWebhook}).Draw(t, "delivery"), Subscription: text.Draw(t, "subscription"),
		Bytes: rapid.Int64Range(0, 1<<40).Draw(t, "bytes"), Reduced: rapid.Bool().Draw(t, "reduced"),
		Unanswered: rapid.Bool().Draw(t, "unanswered"), HTTPStatus: rapid.Int64Range(0, 599).Draw(t, "http"),
	}
	if rapid.Bool().Draw(t, "ends") {
		r.End = End{Present: true, Reason: text.Draw(t, "reason")}
		if r.End.HasExitCode = rapid.Bool().Draw(t, "exits"); r.End.HasExitCode {
			r.End.ExitCode = rapid.Int64Range(-1, 255).Draw(t, "exit")
		}
	}
	return r
}

// fieldsOf is text without white space, all of which is between its tokens.
func fieldsOf(text []byte) string { return string(bytes.Join(bytes.Fields(text), nil)) }
