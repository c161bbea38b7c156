package telemetry

import (
	"cmp"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// Amended counts what was reported of a call of a model after that had left.
func (s *Samples) Amended(of *store.SessionRecord, d *event.Amendment) {
	used, cost := store.Usage(d.Used), max(d.Cost, 0) // a counter does not fall where an estimate was too high
	if !s.wanted.All || used == (store.Usage{}) && cost == 0 {
		return
	}
	s.usage = append(s.usage, usageSample{
		usageLabels{
			host: hostName(of), model: cmp.Or(d.Model, d.Answered), answered: d.Answered,
			provider: modelProvider(d.Model, d.Answered, d.Provider),
		}, used, cost, d.Priced,
	})
	s.Spent(of, store.AddSaturating(used.Input, used.Output))
	if d.Window > 0 {
		s.share(float64(used.Input) / float64(d.Window))
	}
}
