package stitch

import (
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

// TestTheLibraryPrintsToTheLog: other components may have clients of it too, whose
// lines would be lost otherwise.
func TestTheLibraryPrintsToTheLog(t *testing.T) {
	closed, err := net.Listen("tcp", "localhost:0")
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	core, lines := observer.New(zap.DebugLevel)
	r := NewRedis(&RedisOptions{Endpoint: closed.Addr().String(), TTL: time.Minute, Logger: zap.New(core)})
	_, err = r.Check(t.Context())
	require.Error(t, err)
	require.NoError(t, r.Close())
	require.NotZero(t, lines.Len())
	for _, line := range lines.All() {
		require.Equal(t, zap.DebugLevel, line.Level)
		require.NotEmpty(t, line.ContextMap()["text"])
	}
}
