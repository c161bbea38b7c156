package stitch

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Sizes of pdata structs without their strings.
const (
	spanBytes   = 224
	eventBytes  = 80
	linkBytes   = 96
	valueBytes  = 48
	originBytes = 256
)

// sizeOf returns about how many bytes of memory a span uses.
func sizeOf(span ptrace.Span) int64 {
	n := spanBytes + len(span.Name()) + len(span.TraceState().AsRaw()) + len(span.Status().Message()) + mapSize(span.Attributes())
	for _, event := range span.Events().All() {
		n += eventBytes + len(event.Name()) + mapSize(event.Attributes())
	}
	for _, link := range span.Links().All() {
		n += linkBytes + len(link.TraceState().AsRaw()) + mapSize(link.Attributes())
	}
	return int64(n)
}

func originSize(rs ptrace.ResourceSpans, ss ptrace.ScopeSpans) int64 {
	return int64(originBytes + mapSize(rs.Resource().Attributes()) + mapSize(ss.Scope().Attributes()))
}

func mapSize(m pcommon.Map) (n int) {
	for key, value := range m.All() {
		n += len(key) + valueSize(value)
	}
	return n
}

func valueSize(v pcommon.Value) int {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		return valueBytes + len(v.Str())
	case pcommon.ValueTypeBytes:
		return valueBytes + v.Bytes().Len()
	case pcommon.ValueTypeMap:
		return valueBytes + mapSize(v.Map())
	case pcommon.ValueTypeSlice:
		n := valueBytes
		for _, item := range v.Slice().All() {
			n += valueSize(item)
		}
		return n
	default:
		return valueBytes
	}
}
