package mcpreceiver

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
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

// A deadline that has passed is no reason to lose what is open.
func TestShutdownWithoutTimeEndsWhatIsOpen(t *testing.T) {
	g := &gate{}
	r := assemble(t, quiet(), g)
	require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
	tell(t, r, "s", notice)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_ = r.Shutdown(ctx)
	assert.Equal(t, []string{"shutdown"}, g.reasons())
}

// A pipeline that holds a request of OTLP must not keep the collector from stopping.
func TestShutdownEndsWithItsContextDespiteOTLP(t *testing.T) {
	held, release := make(chan struct{}), make(chan struct{})
	next, err := consumer.NewTraces(func(context.Context, ptrace.Traces) error {
		close(held)
		<-release
		return nil
	})
	require.NoError(t, err)
	var s otlpServer
	s.start(t, nil, next)
	conn := s.dial(t)
	sent := make(chan error, 1)
	go func() {
		_, err := ptraceotlp.NewGRPCClient(conn).Export(context.Background(), ptraceotlp.NewExportRequestFromTraces(foreignSpan()))
		sent <- err
	}()
	<-held
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	began := time.Now()
	require.ErrorIs(t, s.all[0].Shutdown(ctx), context.DeadlineExceeded)
	assert.Less(t, time.Since(began), 10*time.Second)
	close(release)
	assert.NoError(t, <-sent)
	require.NoError(t, errors.Join(conn.Close(), s.tel.Shutdown(t.Context())))
}

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
	cfg := quiet()
	cfg.Storage = &storageID
	s := assemble(t, cfg, consumertest.NewNop()).sessions
	host := &unreadable{Host: componenttest.NewNopHost()}
	require.NoError(t, s.open(t.Context(), host))
	assert.Equal(t, componentstatus.StatusPermanentError, host.status)
	source := s.Health.Part()
	source(errors.New("away"))
	source(nil)
	assert.Equal(t, componentstatus.StatusPermanentError, host.status)
	require.NoError(t, s.closeStorage(t.Context()))
}
