package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"golang.org/x/sys/unix"
)

// Types of bodies.
const (
	ndjson   = "application/x-ndjson"
	protobuf = "application/x-protobuf"
)

func post(url, kind string, body []byte) error {
	resp, err := http.Post(url, kind, bytes.NewReader(body)) //nolint:noctx,gosec // to our own process
	if err != nil {
		return err
	}
	text, _ := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusAccepted && resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s: %s", url, resp.Status, text)
	}
	return nil
}

func (c *collector) observations(bodies [][]byte) error {
	for _, body := range bodies {
		if err := post("http://"+c.mcp+"/v1/observations", ndjson, body); err != nil {
			return err
		}
	}
	return nil
}

func (c *collector) spans(export []byte) error {
	return post("http://"+c.otlp+"/v1/traces", protobuf, export)
}

// busy is the processor time that the process has used, as the kernel accounts
// for it.
func (c *collector) busy() (time.Duration, error) {
	const perProcess, scheduled = 3, 2                         // as in clock_getcpuclockid(3)
	clock := int32(^c.cmd.Process.Pid)<<perProcess | scheduled //nolint:gosec // an id of a process has 22 bits
	var t unix.Timespec
	err := unix.ClockGettime(clock, &t)
	return time.Duration(t.Nano()), err
}

// cost is the processor time that a process uses for each send, for so long.
func (c *collector) cost(window, settle time.Duration, send func() error) (float64, error) {
	from, err := c.busy()
	if err != nil {
		return 0, err
	}
	n := 0
	for end := time.Now().Add(window); time.Now().Before(end) || n == 0; n++ {
		if err := send(); err != nil {
			return 0, err
		}
	}
	time.Sleep(settle) // what is left for later counts, too
	to, err := c.busy()
	return float64(to-from) / float64(n), err
}

// equal returns what an SDK would send for the same: the export of the spans that the
// messages become, of which there are so many.
func equal(binary string, w *workload) ([]byte, error) {
	exports := make(chan []byte, 16)
	sink := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		exports <- body
	}))
	defer sink.Close()
	settings := fmt.Sprintf("{traces_endpoint: %s/v1/traces, compression: none, sending_queue: {enabled: false}, retry_on_failure: {enabled: false}}", sink.URL)
	c, err := start(binary, into("otlp_http", settings))
	if err != nil {
		return nil, err
	}
	defer c.stop()
	m := w.messages()
	for range 2 { // the first opens the session
		m.renew()
		if err := c.observations(m.bodies); err != nil {
			return nil, err
		}
	}
	var last []byte
	for len(exports) > 0 { // nothing is queued, so all are here
		last = <-exports
	}
	request := ptraceotlp.NewExportRequest()
	if err := request.UnmarshalProto(last); err != nil {
		return nil, err
	}
	if n := request.Traces().SpanCount(); n != w.spans {
		return nil, fmt.Errorf("%s: %d spans, not %d", w.name, n, w.spans)
	}
	return last, nil
}
