package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/bench/figures"
)

// What the default configuration may take while nobody sends anything.
const (
	idleShare  = 0.1 // percent of a processor
	idleMiB    = 60
	idleStart  = 150 * time.Millisecond // until it listens
	idleFor    = 20 * time.Second
	idleStarts = 5
)

// idle holds what was measured of a collector that does nothing.
type idle struct {
	start   time.Duration // median, as is the next
	working time.Duration // processor time until it listens, which other work on the machine does not lengthen
	share   float64       // percent of a processor
	memory  memory
}

// memory holds what is resident, in MiB.
type memory struct {
	all  float64
	file float64 // pages of the binary, which the system drops if it needs them
}

// idle measures a copy of the binary. What the linker wrote is in the system's cache in
// pages of 2 MiB, which count as resident as a whole. Installing copies it, too.
func (b *bench) idle() (i idle, err error) {
	dir, err := os.MkdirTemp("", "bench-collector")
	if err != nil {
		return i, err
	}
	defer os.RemoveAll(dir)
	binary := filepath.Join(dir, "otelcol-mcp")
	if err := copyFile(binary, b.binary); err != nil {
		return i, err
	}
	var starts, works []float64
	for n := range idleStarts {
		began := time.Now()
		c, err := start(binary, byDefault(true))
		if err != nil {
			return i, err
		}
		starts = append(starts, float64(time.Since(began)))
		busy, err := c.busy()
		works = append(works, float64(busy))
		if err == nil && n == 0 {
			err = i.measure(c)
		}
		c.stop()
		if err != nil {
			return i, err
		}
	}
	i.start, i.working = time.Duration(figures.Median(starts)), time.Duration(figures.Median(works))
	return i, nil
}

func copyFile(to, from string) error {
	in, err := os.Open(from) //nolint:gosec // as the flag says
	if err != nil {
		return fmt.Errorf("%w: build it with make build", err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o700) //nolint:gosec // it is run
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

func (i *idle) measure(c *collector) error {
	time.Sleep(idleFor / 4) // what starting left to do
	from, err := c.busy()
	if err != nil {
		return err
	}
	time.Sleep(idleFor)
	to, err := c.busy()
	resident := figures.MiB(c.cmd.Process.Pid, "VmRSS", "RssFile")
	i.share, i.memory = 100*float64(to-from)/float64(idleFor), memory{resident[0], resident[1]}
	return err
}

func (i *idle) print(w io.Writer) {
	fmt.Fprint(w, "\nThe default configuration while nobody sends anything\n\n")
	t := figures.NewTable(w, "what", "measured", "target", "target met")
	t.Row("until it listens", fmt.Sprintf("%d ms", i.start.Milliseconds()), fmt.Sprintf("≤ %d ms", idleStart.Milliseconds()), figures.YesNo(i.start <= idleStart))
	t.Row("processor until then", fmt.Sprintf("%d ms", i.working.Milliseconds()), "", "")
	t.Row("processor", fmt.Sprintf("%.2f %%", i.share), fmt.Sprintf("≤ %.1f %%", idleShare), figures.YesNo(i.share <= idleShare))
	t.Row("resident memory", fmt.Sprintf("%.0f MiB", i.memory.all), fmt.Sprintf("≤ %d MiB", idleMiB), figures.YesNo(i.memory.all <= idleMiB))
	t.Row("of it, the binary", fmt.Sprintf("%.0f MiB", i.memory.file), "", "")
	_ = t.Flush() // as any other print
}
