package harness

import (
	"errors"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// reserved holds the locks on the ports given out, until this process ends.
var reserved struct {
	sync.Mutex
	locks map[string]*os.File
}

// FreeAddress is a loopback address that nothing listens on. It is chosen below
// the range that systems take for outgoing connections, so that none of those
// can get it before the program binds it, and it is locked against the tests of
// other packages, which run at the same time. Nothing is bound to try it: a
// program that is started in that moment would have a copy of the socket.
func FreeAddress(t *testing.T) string {
	t.Helper()
	for range 1000 {
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(20000+rand.IntN(12000)))
		if reserve(t, address) && !Listens(address) {
			return address
		}
	}
	require.FailNow(t, "no free port")
	return ""
}

// reserve gives an address away once: a lock on a file is the system's to release.
func reserve(t *testing.T, address string) bool {
	t.Helper()
	reserved.Lock()
	defer reserved.Unlock()
	if reserved.locks[address] != nil {
		return false
	}
	file, err := lockFile(filepath.Join(os.TempDir(), "otelcol-mcp-test-ports", PortOf(t, address)), false)
	if errors.Is(err, errLocked) {
		return false
	}
	require.NoError(t, err)
	if reserved.locks == nil {
		reserved.locks = map[string]*os.File{}
	}
	reserved.locks[address] = file
	return true
}

// Listens tells whether something takes TCP connections at an address.
func Listens(address string) bool {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return false
	}
	return conn.Close() == nil
}

// PortOf is the port of an address.
func PortOf(t *testing.T, address string) string {
	t.Helper()
	_, port, err := net.SplitHostPort(address)
	require.NoError(t, err)
	return port
}
