package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/trace"
)

type object = map[string]any

// start is the time of the first span; each time is a millisecond after the one before.
const start = 1760000000000000000

// changing is what differs from one run to the next: durations, ids of sessions.
var changing = regexp.MustCompile(`(\\"latencyMs\\":|"inprocess-)[\d.]+`)

// writer gives out ids and times in the order in which they are asked for.
type writer struct {
	ids   map[string]string
	ticks int64
}

func (w *writer) id(id string, bytes int) string {
	if w.ids[id] == "" {
		w.ids[id] = fmt.Sprintf("%0*x", 2*bytes, len(w.ids)+1)
	}
	return w.ids[id]
}

func (w *writer) time() string {
	w.ticks++
	return strconv.FormatInt(start+1e6*w.ticks, 10)
}

// write writes the spans, those of a scope after another.
func write(file, service string, spans []trace.ReadOnlySpan) error {
	w := writer{ids: map[string]string{}}
	var scopes []object
	for _, span := range spans {
		scope := object{"name": span.InstrumentationScope().Name, "version": span.InstrumentationScope().Version}
		if n := len(scopes); n == 0 || scopes[n-1]["scope"].(object)["name"] != scope["name"] {
			scopes = append(scopes, object{"scope": scope, "spans": []object{}})
		}
		last := scopes[len(scopes)-1]
		last["spans"] = append(last["spans"].([]object), w.span(span))
	}
	resource := object{"attributes": attributes([]attribute.KeyValue{attribute.String("service.name", service)})}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(object{"resourceSpans": []object{{"resource": resource, "scopeSpans": scopes}}}); err != nil {
		return err
	}
	fixed := changing.ReplaceAll(text.Bytes(), []byte("${1}1"))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, fixed, 0o644)
}

func (w *writer) span(span trace.ReadOnlySpan) object {
	traceID, spanID, parent := span.SpanContext().TraceID(), span.SpanContext().SpanID(), span.Parent().SpanID()
	out := object{
		"traceId": w.id(hex.EncodeToString(traceID[:]), 16), "spanId": w.id(hex.EncodeToString(spanID[:]), 8),
		"name": span.Name(), "kind": int(span.SpanKind()), "startTimeUnixNano": w.time(), "endTimeUnixNano": w.time(),
		"attributes": attributes(span.Attributes()),
	}
	if parent.IsValid() {
		out["parentSpanId"] = w.id(hex.EncodeToString(parent[:]), 8)
	}
	// The codes of the API are not those of OTLP.
	switch status := span.Status(); status.Code {
	case codes.Error:
		out["status"] = object{"code": 2, "message": status.Description}
	case codes.Ok:
		out["status"] = object{"code": 1}
	}
	var events []object
	for _, event := range span.Events() {
		events = append(events, object{"name": event.Name, "timeUnixNano": out["endTimeUnixNano"], "attributes": attributes(event.Attributes)})
	}
	if events != nil {
		out["events"] = events
	}
	return out
}

func attributes(list []attribute.KeyValue) []object {
	out := []object{}
	for _, kv := range list {
		out = append(out, object{"key": string(kv.Key), "value": value(kv.Value)})
	}
	return out
}

func value(v attribute.Value) object {
	switch v.Type() {
	case attribute.BOOL:
		return object{"boolValue": v.AsBool()}
	case attribute.INT64:
		return object{"intValue": strconv.FormatInt(v.AsInt64(), 10)}
	case attribute.FLOAT64:
		return object{"doubleValue": v.AsFloat64()}
	}
	return object{"stringValue": v.Emit()}
}
