package harness

import (
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// taken remembers the ports given out, since a program binds its port only
// some time after it was chosen.
var taken sync.Map

// FreeAddress is a loopback address that nothing listens on, over TCP or UDP.
// It is chosen below the range that systems take for outgoing connections, so
// that none of those can get it before the program binds it.
func FreeAddress(t *testing.T) string {
	t.Helper()
	for range 1000 {
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(20000+rand.IntN(12000)))
		if isFree(address) {
			if _, loaded := taken.LoadOrStore(address, true); !loaded {
				return address
			}
		}
	}
	require.FailNow(t, "no free port")
	return ""
}

func isFree(address string) bool {
	tcp, err := net.Listen("tcp", address)
	if err != nil {
		return false
	}
	defer tcp.Close()
	udp, err := net.ListenPacket("udp", address)
	if err != nil {
		return false
	}
	return udp.Close() == nil
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
