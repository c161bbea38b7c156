// Package scale starts what docs/scale.md describes, from the configurations
// in config/scale, on one machine: nginx and Redis are the real ones, Kafka is
// not (test/kafka). Only ports, directories and a few times are other than in
// the files. `go test -short` leaves it out.
package scale

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		fmt.Println("tests of deployments are left out with -short")
		return
	}
	os.Exit(m.Run())
}
