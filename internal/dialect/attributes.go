package dialect

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/xpdata"
)

// Attributes wraps the attributes of a span or log record, to which others are added.
//
// A map looks for each key that it gets, so that to add some to many takes longer than
// all else. Between [Attributes.Begin] and [Attributes.End] nothing is looked for.
type Attributes struct {
	pcommon.Map
	adding  bool
	builder xpdata.MapBuilder // has the attributes of the map then
}

// Begin makes room for more attributes. Until End, the map has none: keys are only
// added, and none may be one that is there. moved is told, unless it is nil, what each
// value has become: what it was is empty.
func (a *Attributes) Begin(more int, moved func(from, to pcommon.Value)) {
	a.builder.EnsureCapacity(a.Len() + more)
	for key, v := range a.All() {
		to := a.builder.AppendEmpty(key)
		v.MoveTo(to)
		if moved != nil {
			moved(v, to)
		}
	}
	a.adding = true
}

// End gives the attributes back to the map.
func (a *Attributes) End() {
	if a.adding {
		a.builder.UnsafeIntoMap(a.Map)
		a.adding = false
	}
}

// Add adds an empty value, or empties that of a key that is there.
func (a *Attributes) Add(key string) pcommon.Value {
	if a.adding {
		return a.builder.AppendEmpty(key)
	}
	return a.PutEmpty(key)
}

// Keep adds a text under a key, unless the key is there or the text is empty.
func (a *Attributes) Keep(key, text string) {
	if text == "" {
		return
	}
	if !a.adding {
		if _, has := a.Get(key); has {
			return
		}
	}
	a.Add(key).SetStr(text)
}
