// Command scale measures what only shows at size: several producers at once, a
// million sessions, and a start with a long session. Run it from the module's root,
// on a machine with two processors or more that does nothing else:
//
//	go run ./bench/scale
//
// It takes about five minutes and 3 GiB of memory.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"

	"github.com/otelcol-mcp/otelcol-mcp/bench/figures"
)

func main() {
	only := flag.String("run", "", "which runs, as a regular expression")
	flag.Parse()
	if err := measure(*only); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run is a benchmark of a package.
type run struct {
	name    string
	suite   string
	pattern string
	length  string
	rounds  string
	cpus    string
	rows    []row
}

var runs = []run{
	{"producers", "./bench", "^BenchmarkProducers$", "1s", "5", "2", []row{
		times("two producers into nop, throughput ÷ one", "Producers/nop/1", "Producers/nop/2", "ns/op", 1.8, atLeast),
		times("four producers into nop, throughput ÷ one", "Producers/nop/1", "Producers/nop/4", "ns/op", 1.8, atLeast),
		times("two producers into the web UI, throughput ÷ one", "Producers/web-ui/1", "Producers/web-ui/2", "ns/op", 1.8, atLeast),
		times("four producers into the web UI, throughput ÷ one", "Producers/web-ui/1", "Producers/web-ui/4", "ns/op", 1.8, atLeast),
		value("two producers into nop, waiting for locks, % of processor time", "Producers/nop/2", "lock-%", 1, 15),
		value("two producers into the web UI, waiting for locks, % of processor time", "Producers/web-ui/2", "lock-%", 1, 15),
	}},
	{"million", "./receiver/mcpreceiver", "^BenchmarkMillionSessions$", "2s", "1", "1", []row{
		times("a message of one of a million sessions ÷ of the only one", "MillionSessions/million", "MillionSessions/one", "cpu-ns/op", 1.5, atMost),
		value("resident memory of each of a million sessions, bytes", "MillionSessions/million", "resident-B/session", 1, 1536),
	}},
	{"restore", "./exporter/inspectorexporter", "^BenchmarkRestore$/^280MB$", "1x", "3", "1", []row{
		value("a start with a session of 280 MB, µs a line", "Restore/280MB", "cpu-ns/line", 1000, 10),
	}},
}

func measure(only string) error {
	wanted, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "bench-scale")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	t := figures.NewTable(os.Stdout, columns...)
	for i := range runs {
		r := &runs[i]
		if !wanted.MatchString(r.name) {
			continue
		}
		text, err := r.output(filepath.Join(dir, r.name+".test"))
		if err != nil {
			return err
		}
		fmt.Fprintln(os.Stderr, r.name, "is measured")
		add(t, r.rows, parse(text))
	}
	return t.Flush()
}

// output returns what the benchmark prints, which is the error's text if it fails.
func (r *run) output(binary string) ([]byte, error) {
	if text, err := exec.Command("go", "test", "-c", "-o", binary, r.suite).CombinedOutput(); err != nil { //nolint:gosec // the table's
		return nil, fmt.Errorf("%s: %w\n%s", r.name, err, text)
	}
	cmd := exec.Command(binary, "-test.run=^$", "-test.bench="+r.pattern, "-test.benchtime="+r.length, //nolint:gosec // the table's
		"-test.count="+r.rounds, "-test.cpu="+r.cpus, "-test.timeout=10m")
	cmd.Dir = r.suite
	cmd.Env = append(os.Environ(), "GOMEMLIMIT=6GiB")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", r.name, err, out.Bytes())
	}
	return out.Bytes(), nil
}
