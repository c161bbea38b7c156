package observer

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"

	"github.com/otelcol-mcp/otelcol-mcp/internal/process"
)

// HostID names the process that started this one. It is the same for all that one host starts and, as far as the system tells
// when a process started, for no other. It says nothing about the machine to
// those who do not know it.
func HostID() string {
	pid := os.Getppid()
	machine, _ := os.Hostname()
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%d\x00%s", machine, process.Boot(), pid, process.Start(pid)))
	return "h-" + hex.EncodeToString(sum[:8])
}
