package agents

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// captures is the folder to record into; without it nothing is recorded.
const captures = "AGENTS_CAPTURES"

// TestCapture records all that the agents send in a session, so that fixtures
// can be made of it. It compares nothing.
func TestCapture(t *testing.T) {
	dir := os.Getenv(captures)
	if dir == "" {
		t.Skip(captures + " names no folder to record into")
	}
	for _, a := range append(slices.Clone(all), claudeTurns) {
		t.Run(a.String(), func(t *testing.T) {
			s := stage(t, a)
			r := record(t, filepath.Join(dir, a.String()))
			log, err := os.Create(filepath.Join(dir, a.String()+".model.log"))
			require.NoError(t, err)
			defer log.Close()
			s.model.LogTo(log)
			s.connect(t, r.url, r.url, mode{hooks: true, otlp: true})
			s.play(t)
			t.Logf("%s", &s.output)
			for _, answer := range s.model.Answers() {
				t.Logf("%s %d %s %d %+v %s", answer.Marker, answer.Turn, answer.RequestID, answer.Status, answer.Usage, answer.Calls)
			}
			t.Logf("offered %v strange %v", s.model.Offered(), s.model.Strange())
		})
	}
}
