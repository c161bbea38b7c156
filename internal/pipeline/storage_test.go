package pipeline

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.uber.org/zap"

	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/telemetry"
)

var storageID = component.MustNewID("file_storage")

// unreadable is a storage that cannot be read, and the host that has it, which
// remembers the last status.
type unreadable struct {
	component.Host
	component.StartFunc
	component.ShutdownFunc
	storage.Client
	status componentstatus.Status
}

func (u *unreadable) GetExtensions() map[component.ID]component.Component {
	return map[component.ID]component.Component{storageID: u}
}

func (u *unreadable) GetClient(context.Context, component.Kind, component.ID, string) (storage.Client, error) {
	return u, nil
}

var errDisk = errors.New("input/output error")

func (*unreadable) Get(context.Context, string) ([]byte, error)        { return nil, errDisk }
func (*unreadable) Batch(context.Context, ...*storage.Operation) error { return errDisk }
func (*unreadable) Close(context.Context) error                        { return nil }
func (u *unreadable) Report(e *componentstatus.Event)                  { u.status = e.Status() }

// What could not be read at the start is not stored until the collector restarts, whatever
// else works.
func TestUnreadableStorageStaysTheStatus(t *testing.T) {
	settings := DefaultSettings()
	settings.Storage = &storageID
	build := settings.TelemetryOptions("test")
	s := &Service{
		Runner: &Runner{
			Engine: session.New(settings.SessionOptions(func(string) {})), Build: build,
			Meter: telemetry.NewMeter(build, 10, time.Now()), Traces: consumertest.NewNop(),
		},
		Settings: &settings, Logger: zap.NewNop(), Lost: func(string) {},
	}
	host := &unreadable{Host: componenttest.NewNopHost()}
	require.NoError(t, s.Open(t.Context(), host))
	assert.Equal(t, componentstatus.StatusPermanentError, host.status)
	source := s.Health.Part()
	source(errors.New("away"))
	source(nil)
	assert.Equal(t, componentstatus.StatusPermanentError, host.status)
	require.NoError(t, s.CloseStorage(t.Context()))
}
