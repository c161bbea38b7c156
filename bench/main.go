// Command bench measures what a message costs this collector beside what equal
// spans cost others, and prints one table. Run it from the module's root:
//
//	go run ./bench
//
// It runs the benchmarks of several packages again and again, ours and theirs in
// turn, so that whatever else the machine does befalls both alike. Times are
// processor times on one processor, garbage collection included, which GOGC
// tunes as it does a collector's. A ratio is the median of the rounds' ratios.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
)

// suites are the packages whose benchmarks are run, each in its own folder.
var suites = []string{"./receiver/mcpreceiver", "./bench"}

func main() {
	rounds := flag.Int("rounds", 7, "how often everything is measured")
	length := flag.String("benchtime", "200ms", "how long each benchmark takes in each round")
	only := flag.String("bench", "^Benchmark(Receive|Agents|Inspector|Truncate|TruncateStitch|Sessions|Stitch|StitchLink|StitchScale|StitchMemory)$", "which benchmarks")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := bench(ctx, *rounds, *only, *length)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func bench(ctx context.Context, rounds int, only, length string) error {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for i, suite := range suites {
		if _, err := output(ctx, ".", "go", "test", "-c", "-o", binary(dir, i), suite); err != nil {
			return err
		}
	}
	var all results
	for round := range rounds {
		fmt.Fprintf(os.Stderr, "round %d of %d\n", round+1, rounds)
		for i, suite := range suites {
			text, err := output(ctx, suite, binary(dir, i), "-test.run=^$", "-test.bench="+only, "-test.benchtime="+length, "-test.cpu=1")
			if err != nil {
				return err
			}
			all.add(round, text)
		}
	}
	if err := all.print(os.Stdout); err != nil {
		return err
	}
	return resident(ctx, binary(dir, 0))
}

// resident prints what open sessions take, which a test measures and holds to its
// limit.
func resident(ctx context.Context, tests string) error {
	text, err := output(ctx, suites[0], tests, "-test.run=^TestMemoryOfSessions$", "-test.v")
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "memory of ") {
			fmt.Printf("\n%s", line)
		}
	}
	return nil
}

func binary(dir string, i int) string { return filepath.Join(dir, fmt.Sprintf("%d.test", i)) }

// output runs a command in the folder; its output is in the error when it fails.
func output(ctx context.Context, folder, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...) //nolint:gosec // the commands are those of bench
	cmd.Dir = folder
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", name, err, out.Bytes())
	}
	return out.Bytes(), nil
}
