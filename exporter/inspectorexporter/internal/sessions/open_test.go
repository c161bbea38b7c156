package sessions

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"pgregory.net/rapid"
)

// TestOpenSpans: the row shows what a sort of all that is open would.
func TestOpenSpans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var open openSpans
		var r Row
		model := map[byte]*openSpan{}
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			key := byte(rapid.IntRange(0, 30).Draw(t, "span"))
			id := pcommon.SpanID{7: key}
			known := model[key]
			switch rapid.IntRange(0, 2).Draw(t, "what") {
			case 0:
				if known == nil {
					start := Time(rapid.IntRange(0, 5).Draw(t, "start"))
					known = &openSpan{wait: key%3 == 0, call: OpenCall{SpanID: id.String(), StartedAt: start}}
					model[key] = known
					open.add(id, known)
				}
			case 1:
				require.Same(t, known, open.remove(id))
				delete(model, key)
			default:
				if known != nil {
					open.mark(known, rapid.Bool().Draw(t, "stuck"))
				}
			}
			open.show(&r)
			same(t, model, &r, open.stuck)
		}
	})
}

func same(t require.TestingT, model map[byte]*openSpan, r *Row, stuck int) {
	var calls []OpenCall
	var waits []*openSpan
	for _, o := range model {
		if o.call.Stuck {
			stuck--
		}
		if o.wait {
			waits = append(waits, o)
			continue
		}
		calls = append(calls, o.call)
	}
	require.Zero(t, stuck)
	slices.SortFunc(calls, func(a, b OpenCall) int { return earlier(&openSpan{call: a}, &openSpan{call: b}) })
	slices.SortFunc(waits, earlier)
	require.Equal(t, len(calls), r.OpenCount)
	require.ElementsMatch(t, calls[:min(len(calls), maxOpenShown)], r.OpenCalls)
	if len(waits) == 0 {
		require.Nil(t, r.Waiting)
		return
	}
	require.Equal(t, waits[0].call.SpanID, r.Waiting.SpanID)
}
