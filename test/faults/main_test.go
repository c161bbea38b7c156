package faults

import (
	"flag"
	"fmt"
	"os"
	"testing"
	"time"
)

var long = flag.Bool("long", false, "run everything as long as it takes; else each test takes seconds")

// TestMain leaves all of it out with -short.
func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		fmt.Println("faults are left out with -short")
		return
	}
	os.Exit(m.Run())
}

// choose is the short form of a number, or the long one.
func choose[T int | time.Duration](short, whole T) T {
	if *long {
		return whole
	}
	return short
}
