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
// can be made of it: with hooks and OTLP, and with each of them alone, which
// decides what an agent still sends when it exits. It compares nothing.
func TestCapture(t *testing.T) {
	dir := os.Getenv(captures)
	if dir == "" {
		t.Skip(captures + " names no folder to record into")
	}
	for _, a := range append(slices.Clone(all), claudeTurns) {
		for _, m := range []mode{{name: "hooks and OTLP", hooks: true, otlp: true}, modes[0], modes[1]} {
			t.Run(a.String()+"/"+m.name, func(t *testing.T) { capture(t, a, m, filepath.Join(dir, a.String(), m.name)) })
		}
	}
}

func capture(t *testing.T, a *agent, m mode, dir string) {
	require.NoError(t, os.MkdirAll(dir, 0o755))
	s := stage(t, a)
	r := record(t, dir)
	log, err := os.Create(filepath.Join(dir, "model.log"))
	require.NoError(t, err)
	defer log.Close()
	s.model.LogTo(log)
	s.connect(t, r.url, r.url, m)
	s.play(t)
	t.Logf("%s", &s.output)
	for _, answer := range s.model.Answers() {
		t.Logf("%s %d %s %d %+v %s", answer.Marker, answer.Turn, answer.RequestID, answer.Status, answer.Usage, answer.Calls)
	}
	t.Logf("offered %v strange %v", s.model.Offered(), s.model.Strange())
}
