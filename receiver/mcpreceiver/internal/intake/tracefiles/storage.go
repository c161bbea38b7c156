package tracefiles

import (
	"context"
	"encoding/json"

	"go.opentelemetry.io/collector/extension/xextension/storage"
)

// placesKey is where a storage client keeps the places.
const placesKey = "trace_files/places"

// Stored keeps places with a storage extension's client, which may be one that
// keeps nothing.
type Stored struct{ Client storage.Client }

// Load implements [Places].
func (s Stored) Load(ctx context.Context) (places []Place, err error) {
	text, err := s.Client.Get(ctx, placesKey)
	if err != nil || text == nil {
		return nil, err
	}
	err = json.Unmarshal(text, &places)
	return places, err
}

// Save implements [Places].
func (s Stored) Save(ctx context.Context, places []Place) error {
	text, err := json.Marshal(places)
	if err != nil {
		return err
	}
	return s.Client.Set(ctx, placesKey, text)
}
