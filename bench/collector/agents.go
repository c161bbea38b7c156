package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

// recordings are sessions of real agents at work.
const recordings = "testdata/plays/*/reports.jsonl"

// logsAndTraces leads both signals into nop.
func logsAndTraces(addresses []string) []string {
	return append(into("nop", "{}")(addresses), "service::pipelines::logs: {receivers: [otlp], exporters: [nop]}")
}

// agents measures agents' own OTLP in the default configuration beside the same in the otlp
// receiver and nop.
func (b *bench) agents() (all []result, err error) {
	files, err := filepath.Glob(recordings)
	if err == nil && len(files) == 0 {
		err = errors.New("no recordings: run it from the module's root")
	}
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		name := "agents, " + filepath.Base(filepath.Dir(file))
		if !b.only.MatchString(name) {
			continue
		}
		s, err := readRecording(file)
		if err != nil {
			return nil, err
		}
		var ways [2]way
		for k, config := range []func([]string) []string{byDefault(true), logsAndTraces} {
			c, err := start(b.binary, config)
			if err != nil {
				return nil, err
			}
			defer c.stop()
			ways[k] = way{c, func() error { return s.send(c) }}
		}
		r, err := b.measure(name, 1.5, ways, longer, flush)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// recording is the OTLP that an agent sent in a session, as JSON.
type recording struct {
	exports []export
	next    int
}

type export struct {
	Path string
	Body json.RawMessage
}

func readRecording(file string) (*recording, error) {
	data, err := os.ReadFile(file) //nolint:gosec // of this repository
	if err != nil {
		return nil, err
	}
	s := &recording{}
	for line := range bytes.Lines(data) {
		var e export
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if e.Path == "/v1/logs" || e.Path == "/v1/traces" {
			s.exports = append(s.exports, e)
		}
	}
	return s, nil
}

// own matches the part of an id that differs between sessions.
var own = regexp.MustCompile(`-[0-9a-f]{12}\b|"traceId":"[0-9a-f]{12}`)

// send sends the session anew: under other ids each time.
func (s *recording) send(c *collector) error {
	s.next++
	id := fmt.Sprintf("%012x", s.next)
	for _, e := range s.exports {
		body := own.ReplaceAllStringFunc(string(e.Body), func(was string) string { return was[:len(was)-len(id)] + id })
		data, err := protobufOf(e.Path, body)
		if err != nil {
			return err
		}
		if err := post("http://"+c.otlp+e.Path, protobuf, data); err != nil {
			return err
		}
	}
	return nil
}

// protobufOf returns a request in protobuf, as agents send them.
func protobufOf(path, body string) ([]byte, error) {
	if strings.HasSuffix(path, "/logs") {
		request := plogotlp.NewExportRequest()
		if err := request.UnmarshalJSON([]byte(body)); err != nil {
			return nil, err
		}
		return request.MarshalProto()
	}
	request := ptraceotlp.NewExportRequest()
	if err := request.UnmarshalJSON([]byte(body)); err != nil {
		return nil, err
	}
	return request.MarshalProto()
}
