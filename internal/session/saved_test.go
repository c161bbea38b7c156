package session

import (
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Who adds a field to what is kept decides here: keep it (saved.go, reread.go), or
// leave it out because it follows from the rest.
func TestEveryFieldIsKeptOrFollows(t *testing.T) {
	for _, each := range []struct {
		value   any
		kept    []string // that are not exported; those that are exported are kept anyway
		follows []string
	}{
		{
			Session{},
			[]string{
				"said", "client", "server", "started", "arrival", "lapse", "ended", "finished", "traces", "carried", "redirects",
				"waits", "used", "cancelledAt", "pending", "flood", "spans", "starts", "sawStart", "announced", "reminders", "logs", "logLevel",
				"hostState",
			},
			[]string{"calls", "parked", "tokens", "moved", "held"},
		},
		{
			hostState{},
			[]string{"beaten", "hasTokens", "hasTools", "spent", "made", "agents", "echoes", "spawned", "told", "hooks"},
			nil,
		},
		{
			Call{},
			[]string{
				"parked", "poll", "wait", "leg", "legStart", "deadline", "taskEnd", "taskText", "arrival", "moved", "since", "host",
				"raw", "dropped",
			},
			[]string{"about", "due", "at", "reported", "bytes", "progress", "place", "entry", "node", "still", "kept"},
		},
		{Wait{}, []string{"raw"}, nil},
		{Agent{}, []string{"seen"}, nil},
		{hookState{}, []string{"input", "before", "manual", "asking"}, nil},
		{flood{}, []string{"second", "n", "dropped"}, nil},
		{pending{}, []string{"key", "id"}, nil},
		{recents{}, nil, nil},
		{usedIDs{}, nil, nil},
		{usedID{}, nil, nil},
		{echo{}, nil, nil},
	} {
		var hidden []string
		of := reflect.TypeOf(each.value)
		for _, f := range reflect.VisibleFields(of) {
			if !f.IsExported() && len(f.Index) == 1 {
				hidden = append(hidden, f.Name)
			}
		}
		assert.ElementsMatch(t, slices.Concat(each.kept, each.follows), hidden, of.Name())
	}
}
