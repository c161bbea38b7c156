package mcp

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
)

func TestRemindersInAllDialects(t *testing.T) {
	all := event.Reminder{
		ID: `"r"`, Body: `"b"`, Tags: `["t"]`, DedupeKey: `"k"`, TTLTurns: "3", Preserve: "true",
		Propagate: `"all"`, RoleHint: `"system"`, FiredAt: "2",
	}
	const camel = `{"id":"r","body":"b","tags":["t"],"dedupeKey":"k","ttlTurns":3,"preserveOnCompact":true,"propagate":"all","roleHint":"system","firedAtTurn":2}`
	const snake = `{"reminder_id":"r","body":"b","tags":["t"],"dedupe_key":"k","ttl_turns":3,"preserve_on_compact":true,"propagate":"all","role_hint":"system","fired_at_turn":2}`
	for _, tt := range []struct {
		name, method, params string
		want                 *event.Reminder
	}{
		{"camelCase", "notifications/reminder", `{"reminder":` + camel + `}`, &all},
		{"snake_case", "notifications/reminder", `{"reminder":` + snake + `}`, &all},
		{"null is absent", "notifications/reminder", `{"reminder":{"id":"r","id":null,"body":null}}`, &event.Reminder{ID: `"r"`}},
		{"without content", "notifications/reminder", `{"reminder":7}`, &event.Reminder{}},
		{"in a log message", "notifications/message", `{"_meta":{"harn":{"reminder":` + camel + `}}}`, &all},
		{"a log message", "notifications/message", `{"_meta":{"harn":{"reminder":"r"}},"level":"info"}`, nil},
		{"session/remind", "session/remind", snake, &all},
		{
			"an update", "session/update", `{"update":{"sessionUpdate":"reminder_emitted","reminderId":"r","body":"b"}}`,
			&event.Reminder{ID: `"r"`, Body: `"b"`},
		},
		{"in an update", "session/update", `{"update":{"sessionUpdate":"reminder_emitted","id":"other","_meta":{"harn":{"reminder":` + camel + `}}}}`, &all},
		{"another update", "session/update", `{"update":{"sessionUpdate":"plan","id":"r"}}`, nil},
		{"another notification", "x", `{"reminder":` + camel + `}`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := event.Reminder{FiredAt: "of the one before"}
			is := decodeReminder(&r, message(t, notify(tt.method, tt.params)))
			assert.Equal(t, tt.want != nil, is)
			if is {
				assert.Equal(t, *tt.want, r)
			}
		})
	}
}

func TestInvalidReminders(t *testing.T) {
	for params, want := range map[string]string{
		`{"id":"r","body":"b"}`:                            "",
		`{"id":"r","body":"b","tags":null,"ttlTurns":1e1}`: "",
		`{"body":"b"}`:                                     "reminder has no id",
		`{"id":7,"body":"b"}`:                              "reminder has no id",
		`{"id":"r","body":""}`:                             "reminder has no body",
		`{"id":"r","body":"b","tags":"t"}`:                 "tags is not an array",
		`{"id":"r","body":"b","ttlTurns":0}`:               "ttlTurns is not an integer from 1 on",
		`{"id":"r","body":"b","preserveOnCompact":"true"}`: "preserveOnCompact is not a boolean",
		`{"id":"r","body":"b","firedAtTurn":1.5}`:          "firedAtTurn is not an integer",
		`7`: "reminder has no id",
	} {
		var r event.Reminder
		decodeReminder(&r, message(t, notify("notifications/reminder", `{"reminder":`+params+`}`)))
		assert.Equal(t, want, invalidReminder(&r, "notifications/reminder"), params)
	}
	assert.Empty(t, invalidReminder(&event.Reminder{Body: `"b"`}, "session/remind"))
}
