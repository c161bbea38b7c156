package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strconv"
	"text/tabwriter"
	"time"
)

// What the default configuration may take while nobody sends anything.
const (
	idleShare  = 0.1 // percent of a processor
	idleMiB    = 60
	idleStart  = 150 * time.Millisecond // until it listens
	idleFor    = 20 * time.Second
	idleStarts = 5
)

// idle is what was measured of a collector that does nothing.
type idle struct {
	start time.Duration // median
	share float64       // percent of a processor
	mib   float64       // resident
}

func (b *bench) idle() (i idle, err error) {
	var starts []float64
	for n := range idleStarts {
		began := time.Now()
		c, err := start(b.binary, byDefault(true))
		if err != nil {
			return i, err
		}
		starts = append(starts, float64(time.Since(began)))
		if n == 0 {
			err = i.measure(c)
		}
		c.stop()
		if err != nil {
			return i, err
		}
	}
	i.start = time.Duration(median(starts))
	return i, nil
}

func (i *idle) measure(c *collector) error {
	time.Sleep(idleFor / 4) // what starting left to do
	from, err := c.busy()
	if err != nil {
		return err
	}
	time.Sleep(idleFor)
	to, err := c.busy()
	i.share, i.mib = 100*float64(to-from)/float64(idleFor), resident(c.cmd.Process.Pid)
	return err
}

// resident is in MiB, 0 where the system does not report it.
func resident(pid int) float64 {
	status, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	_, after, _ := bytes.Cut(status, []byte("VmRSS:"))
	if fields := bytes.Fields(after); len(fields) > 0 {
		kib, _ := strconv.ParseFloat(string(fields[0]), 64)
		return kib / 1024
	}
	return 0
}

func (i *idle) print(w io.Writer) {
	fmt.Fprint(w, "\nThe default configuration while nobody sends anything\n\n")
	t := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	row(t, "what", "measured", "target", "target met")
	row(t, "---", "---", "---", "---")
	row(t, "until it listens", fmt.Sprintf("%d ms", i.start.Milliseconds()), fmt.Sprintf("≤ %d ms", idleStart.Milliseconds()), yesNo(i.start <= idleStart))
	row(t, "processor", fmt.Sprintf("%.2f %%", i.share), fmt.Sprintf("≤ %.1f %%", idleShare), yesNo(i.share <= idleShare))
	row(t, "resident memory", fmt.Sprintf("%.0f MiB", i.mib), fmt.Sprintf("≤ %d MiB", idleMiB), yesNo(i.mib <= idleMiB))
	_ = t.Flush() // as any other print
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}
