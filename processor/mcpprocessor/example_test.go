package mcpprocessor_test

import (
	"context"
	"fmt"

	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor"
)

// A tool call and the server's answer to it arrive as two traces, and leave as one
// in which the long result is cut.
func ExampleConfig() {
	factory := mcpprocessor.NewFactory()
	cfg := factory.CreateDefaultConfig()
	yaml, err := confmap.NewRetrievedFromYAML([]byte(`
truncate:
  max_bytes: 24
  mode: json
stitch:
  keys: [app.request_uuid]
`))
	must(err)
	conf, err := yaml.AsConf()
	must(err)
	must(conf.Unmarshal(cfg))
	must(confmap.Validate(cfg))

	out := new(consumertest.TracesSink)
	p, err := factory.CreateTraces(context.Background(), processortest.NewNopSettings(factory.Type()), cfg, out)
	must(err)
	must(p.Start(context.Background(), componenttest.NewNopHost()))
	must(p.ConsumeTraces(context.Background(), span(1, "tool.call", ptrace.SpanKindClient)))
	must(p.ConsumeTraces(context.Background(), span(2, "workflow.run", ptrace.SpanKindServer)))
	must(p.Shutdown(context.Background()))

	for _, td := range out.AllTraces() {
		s := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
		result, _ := s.Attributes().Get("result_json")
		fmt.Printf("%s: trace %.2s, parent %q, %s\n", s.Name(), s.TraceID(), s.ParentSpanID(), result.Str())
	}
	// Output:
	// tool.call: trace 01, parent "", {"path":"/tmp"}
	// workflow.run: trace 01, parent "0100000000000000", {"path":"/tmp"}
}

// span is the root of a trace, whose ids begin with id.
func span(id byte, name string, kind ptrace.SpanKind) ptrace.Traces {
	td := ptrace.NewTraces()
	s := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	s.SetTraceID(pcommon.TraceID{id})
	s.SetSpanID(pcommon.SpanID{id})
	s.SetName(name)
	s.SetKind(kind)
	s.Attributes().PutStr("app.request_uuid", "0b5d7c5e-6a39-4f0b-9d0e-0d2f1c7a5b11")
	s.Attributes().PutStr("result_json", `{"path":"/tmp","sizes":[10,200]}`)
	return td
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
