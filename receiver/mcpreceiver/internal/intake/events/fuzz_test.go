package events

import (
	"encoding/json"
	"net/http"
	"testing"
	"unicode/utf8"
)

// FuzzDelivery reads what anybody may send.
func FuzzDelivery(f *testing.F) {
	for _, seed := range []string{
		`{"eventId":"ev-0042","name":"build.finished","timestamp":"2026-03-04T09:14:58Z","data":{"buildId":"b-77"},"cursor":"pos-19"}`,
		`{"id":"s","error":{"code":-32014,"message":"CursorExpired"}}`, `{"type":"gap","cursor":"x"}`,
		`{"type":"terminated","error":{"code":"x"}}`, `{"eventId":7,"data":"\xff","_meta":{"traceparent":"0"}}`, `[]`, `null`, ``,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		m := parseMembers(body)
		o := occurrenceOf(body, m, "")
		if o.ID == "" || o.Time < 0 || !utf8.ValidString(o.Data) || !utf8.ValidString(o.Params) {
			t.Errorf("%+v", o)
		}
		d := &delivery{header: http.Header{}, raw: body, m: m}
		_ = meaningOf(errorOf(m.Object("error")), d.generation())
		_ = m.Cursor()
	})
}

// FuzzResult reads what a server may answer.
func FuzzResult(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{"events":[{}],"cursor":null,"hasMore":true,"nextPollMs":1e300}}`,
		`{"result":{"results":[{"id":"a","error":{}}],"nextPollSeconds":-1}}`, `{"error":{"code":1e99}}`,
		`{"result":{"capabilities":{"extensions":{"io.modelcontextprotocol/events":{}}},"refreshBefore":"x"}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		result, err := resultOf(parseMembers(json.RawMessage(body)))
		if err != nil {
			return
		}
		if next := nextPoll(result); next < pollFloor || next.Hours() > 1 {
			t.Error(next)
		}
		if refreshIn(result) <= 0 {
			t.Error("a refresh in the past")
		}
		declaredEvents(result.Object("capabilities"))
	})
}
