package mcpreceiver

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
)

// A record happened when it says so, else when it was observed, else when it arrived.
// What no clock can have said is none of these.
func TestTimeOfARecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		far := now.Add(1000 * time.Hour).UnixNano()
		for name, c := range map[string]struct{ at, observed, want int64 }{
			"time":                 {now.Add(-3 * time.Minute).UnixNano(), now.Add(-2 * time.Minute).UnixNano(), now.Add(-3 * time.Minute).UnixNano()},
			"observed":             {0, now.Add(-2 * time.Minute).UnixNano(), now.Add(-2 * time.Minute).UnixNano()},
			"neither":              {0, 0, now.UnixNano()},
			"far ahead":            {far, now.Add(-2 * time.Minute).UnixNano(), now.Add(-2 * time.Minute).UnixNano()},
			"both are":             {far, far, now.UnixNano()},
			"observed far ahead":   {0, far, now.UnixNano()},
			"time and no observed": {now.Add(-time.Minute).UnixNano(), 0, now.Add(-time.Minute).UnixNano()},
		} {
			s := newSetupOf(t, settings(), nil, newDecoder)
			s.start(t)
			ld := plog.NewLogs()
			codexLog(ld, c.at, "conversation", "user_prompt", map[string]any{"prompt": "go"})
			ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0).SetObservedTimestamp(pcommon.Timestamp(c.observed))
			ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0).Attributes().Remove("event.timestamp")
			require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld), name)
			s.stop(t)
			root := s.spans()["workflow.run"]
			require.Len(t, root, 1, name)
			require.Equal(t, c.want, int64(root[0].StartTimestamp()), name)
		}
	})
}
