package otlptest

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
)

// Write writes what is reported of a record or span of that name: a line for it,
// and one for each event with the members that are not empty.
func Write(to *strings.Builder, name string, r *otlp.Report) {
	fmt.Fprintf(to, "%s", name)
	if r == nil {
		to.WriteString(": not an agent's\n")
		return
	}
	fmt.Fprintf(to, ": %s session=%s time=%s", r.Agent, r.Session, clock(r.Time))
	if r.Internal {
		to.WriteString(" internal")
	}
	if r.Umbrella {
		to.WriteString(" umbrella")
	}
	to.WriteString("\n")
	for _, e := range r.Events {
		v := reflect.ValueOf(e).Elem()
		fmt.Fprintf(to, "  %s", v.Type().Name())
		members(to, v, "")
		to.WriteString("\n")
	}
}

var nativeType = reflect.TypeFor[event.Native]()

// members writes the members of a struct, those of structs in it too.
func members(to *strings.Builder, v reflect.Value, path string) {
	for i := range v.NumField() {
		f, name := v.Field(i), v.Type().Field(i)
		if f.IsZero() || skip(name.Name) {
			continue
		}
		at := path
		if !name.Anonymous {
			at += name.Name
		}
		switch {
		case f.Type() == nativeType:
			n := f.Interface().(event.Native)
			fmt.Fprintf(to, " %s=%v/%v %s-%s", at, n.Trace, n.Span, clock(n.Start), clock(n.End))
		case f.Kind() == reflect.Struct && name.Anonymous:
			members(to, f, at)
		case f.Kind() == reflect.Struct:
			members(to, f, at+".")
		case f.Kind() == reflect.Pointer && f.Elem().Kind() == reflect.Struct:
			members(to, f.Elem(), at+".")
		case name.Name == "Time", f.Kind() == reflect.Int64 && (name.Name == "Start" || name.Name == "End"):
			fmt.Fprintf(to, " %s=%s", at, clock(f.Int()))
		case f.Kind() == reflect.String && strings.ContainsAny(f.String(), " \n") && f.Type() != reflect.TypeFor[event.JSON]():
			fmt.Fprintf(to, " %s=%q", at, f.String())
		default:
			fmt.Fprintf(to, " %s=%v", at, f.Interface())
		}
	}
}

// skip reports whether a member is the same for all events of an agent.
func skip(name string) bool {
	return name == "Method" || name == "Source" || name == "FromClient"
}

func clock(ns int64) string {
	if ns == 0 {
		return "-"
	}
	return time.Unix(0, ns).UTC().Format("15:04:05.000000")
}
