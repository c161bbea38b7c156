// Program picture draws spans as an SVG waterfall, for a README.
//
// It reads OTLP JSON lines, as the file exporter writes them, from standard
// input. README.md beside it says how docs/img/trace.svg is made.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// rows are the labels of the spans to draw. Of two spans with the same label the earlier is drawn.
var rows = []string{
	"workflow.run mcp_session",
	"initialize",
	"notifications/tools/list_changed",
	"notifications/message info",
	"tools/list",
	"tool.call echo",
	"tool.call get-resource-links",
	"tool.call gzip-file-as-resource",
	"tool.call trigger-sampling-request",
	"llm.generate model-of-the-recorder",
	"tool.call trigger-long-running-operation",
	"resource.fetch demo://resource/dynamic/text/2",
	"prompt.apply args-prompt",
	chosen,
	"tool.call no-such-tool UNKNOWN_TOOL",
	"resource.fetch demo://no/such/resource INVALID_PARAMS",
	"tool.call trigger-long-running-operation CANCELLED",
	"session.summary",
}

// chosen is the span whose attributes are shown: facts as a list, payloads in full.
const chosen = "tool.call get-sum INVALID_PARAMS"

var (
	facts = []string{
		"gen_ai.operation.name", "mcp.tool.name", "mcp.method.name", "jsonrpc.request.id", "network.transport",
		"mcp.error.code", "error.type",
	}
	payloads = []string{"mcp.tool.input_json", "mcp.tool.output_json"}
)

func main() {
	log.SetFlags(0)
	spans, err := read(os.Stdin)
	if err != nil {
		log.Fatal(err)
	}
	svg, err := draw(longestTrace(spans))
	if err != nil {
		log.Fatal(err)
	}
	if _, err := os.Stdout.Write(svg); err != nil {
		log.Fatal(err)
	}
}

type span struct {
	ptrace.Span
	service string
	depth   int
}

// read returns the spans sorted by their start.
func read(r io.Reader) ([]*span, error) {
	var spans []*span
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			traces, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(line)
			if err != nil {
				return nil, err
			}
			for _, resource := range traces.ResourceSpans().All() {
				service := attribute(resource.Resource().Attributes(), "service.name")
				for _, scope := range resource.ScopeSpans().All() {
					for _, s := range scope.Spans().All() {
						spans = append(spans, &span{Span: s, service: service})
					}
				}
			}
		}
		if err == io.EOF {
			slices.SortStableFunc(spans, func(a, b *span) int { return cmp.Compare(a.StartTimestamp(), b.StartTimestamp()) })
			return spans, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// longestTrace returns the spans of the trace that has the most, as a tree: parents before their children.
func longestTrace(spans []*span) []*span {
	sizes := map[pcommon.TraceID]int{}
	var longest pcommon.TraceID
	for _, s := range spans {
		sizes[s.TraceID()]++
		if sizes[s.TraceID()] > sizes[longest] {
			longest = s.TraceID()
		}
	}
	var tree []*span
	var walk func(parent pcommon.SpanID, depth int)
	walk = func(parent pcommon.SpanID, depth int) {
		for _, s := range spans {
			if s.TraceID() == longest && s.ParentSpanID() == parent {
				s.depth = depth
				tree = append(tree, s)
				walk(s.SpanID(), depth+1)
			}
		}
	}
	walk(pcommon.SpanID{}, 0)
	return tree
}

func (s *span) get(key string) string { return attribute(s.Attributes(), key) }

func attribute(m pcommon.Map, key string) string {
	if v, ok := m.Get(key); ok {
		return v.AsString()
	}
	return ""
}

// target is what the span was about: the tool, the resource, the prompt …
func (s *span) target() string {
	for _, key := range []string{
		"mcp.tool.name", "mcp.resource.uri", "mcp.prompt.template_id", "gen_ai.request.model", "mcp.log.level",
	} {
		if v := s.get(key); v != "" {
			return v
		}
	}
	if s.depth == 0 {
		return s.get("gen_ai.workflow.name")
	}
	return ""
}

func (s *span) failed() bool { return s.Status().Code() == ptrace.StatusCodeError }

func (s *span) label() string {
	return strings.Join(strings.Fields(s.Name()+" "+s.target()+" "+s.get("mcp.error.code")), " ")
}

func (s *span) duration() time.Duration {
	return s.EndTimestamp().AsTime().Sub(s.StartTimestamp().AsTime())
}

// kind is the class that gives the span its colour.
func (s *span) kind() string {
	switch name := s.Name(); {
	case s.failed():
		return "error"
	case s.depth == 0, strings.HasPrefix(name, "session."):
		return "session"
	case strings.HasPrefix(name, "notifications/"):
		return "notice"
	case slices.Contains([]string{"tool.call", "resource.fetch", "prompt.apply", "llm.generate", "signal.wait"}, name):
		return name[:strings.IndexByte(name, '.')]
	}
	return "request"
}

// Everything is measured in pixels of a picture 1200 wide.
const (
	width      = 1200
	margin     = 28
	services   = 458 // where the column of services begins
	timeline   = 572 // where the time axis begins
	timelineTo = width - margin
	overview   = 64 // top of the overview
	firstRow   = 172
	rowHeight  = 26
	indent     = 20
	lineHeight = 22
	cutWidth   = 30
	cutAfter   = 75_000_000 // nanoseconds of an idle time that stay, with room for a text
	cutBefore  = 20_000_000
	monoWidth  = 8.2 // of one character of 13.5 pixels, and some air
)

// Each fill is at least 4.5:1 against the backgrounds if it is text, 3:1 if it is a shape.
const style = `
text{font:14.5px system-ui,-apple-system,"Segoe UI","Noto Sans",Helvetica,Arial,sans-serif;fill:#1f2328}
.mono{font:13.5px ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
.title{font-size:21px;font-weight:600}.name{font-weight:600}.small{font-size:13.5px}.end{text-anchor:end}.mid{text-anchor:middle}
.card{fill:#fff;stroke:#d0d7de}.panel{fill:#edf1f6}.stripe{fill:#f8f9fb}.grid{stroke:#dfe3e8}.cut{fill:#fff}.line{stroke:#b6bec8;fill:none}.tick{stroke:#1f2328;stroke-width:2}
.dim{fill:#57606a}.session{fill:#6e7781}.notice{fill:#818b98}.request{fill:#0f7f8c}.tool{fill:#0969da}.resource{fill:#1a7f37}.prompt{fill:#9a6700}.llm{fill:#8250df}.signal{fill:#bf3989}.error{fill:#cf222e}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}
.card{fill:#0d1117;stroke:#30363d}.panel{fill:#1a212b}.stripe{fill:#121820}.grid{stroke:#242b34}.cut{fill:#0d1117}.line{stroke:#4a535e}.tick{stroke:#e6edf3}
.dim{fill:#9aa4af}.session{fill:#8b949e}.notice{fill:#7d8590}.request{fill:#39c5cf}.tool{fill:#58a6ff}.resource{fill:#3fb950}.prompt{fill:#d29922}.llm{fill:#bc8cff}.signal{fill:#f778ba}.error{fill:#ff7b72}}
`

// scale is the time axis. Without a cut, both its ends are zero.
type scale struct{ from, to, cutFrom, cutTo pcommon.Timestamp }

func (a scale) x(t pcommon.Timestamp) float64 {
	room := float64(timelineTo - timeline)
	if a.cutTo > 0 {
		room -= cutWidth
	}
	perNano := room / float64(a.to-a.from-(a.cutTo-a.cutFrom))
	if a.cutTo > 0 && t > a.cutFrom {
		return timeline + cutWidth + perNano*float64(max(t, a.cutTo)-a.from-(a.cutTo-a.cutFrom))
	}
	return timeline + perNano*float64(t-a.from)
}

// longestIdle is the longest time in which no span but the root runs or starts.
func longestIdle(spans []*span) (from, to pcommon.Timestamp) {
	below := slices.Clone(spans[1:])
	slices.SortFunc(below, func(a, b *span) int { return cmp.Compare(a.StartTimestamp(), b.StartTimestamp()) })
	var busy pcommon.Timestamp
	for _, s := range below {
		if busy > 0 && s.StartTimestamp() > busy && s.StartTimestamp()-busy > to-from {
			from, to = busy, s.StartTimestamp()
		}
		busy = max(busy, s.EndTimestamp())
	}
	return from, to
}

type canvas struct{ bytes.Buffer }

func (c *canvas) add(format string, args ...any) {
	for i, arg := range args {
		switch arg := arg.(type) {
		case string:
			var escaped bytes.Buffer
			_ = xml.EscapeText(&escaped, []byte(arg))
			args[i] = escaped.String()
		case float64:
			args[i] = fmt.Sprintf("%.1f", arg)
		}
	}
	fmt.Fprintf(c, format+"\n", args...)
}

func draw(spans []*span) ([]byte, error) {
	drawn, errors, byService := []*span{}, 0, map[string]bool{}
	wanted := map[string]bool{}
	for _, label := range rows {
		wanted[label] = true
	}
	var detail *span
	for _, s := range spans {
		label := s.label()
		if wanted[label] {
			delete(wanted, label)
			drawn = append(drawn, s)
			if label == chosen {
				detail = s
			}
		}
		if s.failed() {
			errors++
		}
		byService[s.service] = true
	}
	for label := range wanted {
		return nil, fmt.Errorf("no span %q", label)
	}
	root := spans[0]
	linear := scale{from: root.StartTimestamp(), to: root.EndTimestamp()}
	axis := linear
	axis.cutFrom, axis.cutTo = longestIdle(spans)
	idle := axis.cutTo.AsTime().Sub(axis.cutFrom.AsTime())
	axis.cutFrom, axis.cutTo = axis.cutFrom+cutAfter, axis.cutTo-cutBefore

	lines := wrap(detail, timelineTo-20-services)
	panelTop := firstRow + rowHeight*(len(drawn)+1) + 18
	panelHeight := 64 + lineHeight*max(len(facts), len(lines))
	height := panelTop + panelHeight + 20

	c := &canvas{}
	c.add(`<svg xmlns="http://www.w3.org/2000/svg" width="%v" height="%v" viewBox="0 0 %[1]v %[2]v" role="img">`, width, height)
	c.add(`<title>%s</title><style>`+style+`</style>`, fmt.Sprintf("Waterfall of the %v spans of one MCP session", len(spans)))
	c.add(`<rect class="card" x=".5" y=".5" width="%v" height="%v" rx="12"/>`, width-1, height-1)

	// The head: what it is, and every span as a hairline.
	c.add(`<text class="title" x="%v" y="48">An MCP session as a trace</text>`, margin)
	c.add(`<text class="dim" x="%v" y="76">client <tspan class="mono">%s</tspan>, server <tspan class="mono">%s</tspan></text>`,
		margin, root.get("mcp.client.name"), root.get("mcp.server.name"))
	c.add(`<text class="dim" x="%v" y="100">%v spans · %v services · <tspan class="error">%v errors</tspan> · %s</text>`,
		margin, len(spans), len(byService), errors, short(root.duration()))
	c.add(`<text class="dim small" x="%v" y="48">All %v spans, on a time axis without a cut</text>`, timeline, len(spans))
	pitch := 56 / float64(len(spans))
	for i, s := range spans {
		c.add(`<rect class="%s" x="%v" y="%v" width="%v" height="1.5"/>`,
			s.kind(), linear.x(s.StartTimestamp()), overview+pitch*float64(i), max(2, linear.x(s.EndTimestamp())-linear.x(s.StartTimestamp())))
	}

	// The rows, over stripes and the grid of the time axis.
	bottom := firstRow + rowHeight*len(drawn)
	for i, s := range drawn {
		y, class := firstRow+i*rowHeight, "stripe"
		if s == detail {
			class = "panel"
		} else if i%2 == 1 {
			continue
		}
		c.add(`<rect class="%s" x="%v" y="%v" width="%v" height="%v" rx="5"/>`, class, margin-12, y, width-2*margin+24, rowHeight)
		if s == detail {
			c.add(`<path class="error" d="M%v %vh3v%vh-3z"/>`, margin-12, y, rowHeight)
		}
	}
	c.add(`<text class="dim small" x="%v" y="%v">Span</text>`, margin, firstRow-12)
	c.add(`<text class="dim small" x="%v" y="%v">Service</text>`, services, firstRow-12)
	for ms := 0; ms <= int(root.duration().Milliseconds()); ms += 200 {
		t := root.StartTimestamp() + pcommon.Timestamp(ms)*1e6
		if t > axis.cutFrom && t < axis.cutTo {
			continue
		}
		class, x := "dim small mid", axis.x(t)
		if ms == 0 {
			class = "dim small"
		}
		c.add(`<path class="grid" d="M%v %vV%v"/>`, x, firstRow-6, bottom)
		c.add(`<text class="%s" x="%v" y="%v">%v ms</text>`, class, x, firstRow-12, ms)
	}
	trunk := 0
	for i, s := range drawn {
		top := firstRow + i*rowHeight
		middle, x := top+rowHeight/2, margin+6+s.depth*indent
		if s.depth > 0 {
			from := top
			if s.depth > 1 {
				from = top - rowHeight/2 + 8
			} else {
				trunk = middle
			}
			c.add(`<path class="line" d="M%v %vV%vh%v"/>`, x-indent, from, middle, indent-8)
		}
		c.marker(s, x, middle)
		c.add(`<text x="%v" y="%v"><tspan class="name">%s</tspan> <tspan class="mono" dx="3">%s</tspan></text>`, x+13, middle+5, s.Name(), s.target())
		c.add(`<text class="dim small" x="%v" y="%v">%s</text>`, services, middle+5, s.service)
		c.bar(s, axis, middle)
	}
	c.add(`<path class="line" d="M%v %vV%v"/>`, margin+6, firstRow+rowHeight/2+8, trunk)
	c.add(`<text class="dim" x="%v" y="%v">… %v more spans, drawn only in the overview at the top</text>`, margin+indent+19, bottom+18, len(spans)-len(drawn))

	x, y := axis.x(axis.cutFrom), bottom+18
	c.add(`<rect class="cut" x="%v" y="%v" width="%v" height="%v"/>`, x, firstRow-6, cutWidth, bottom-firstRow+6)
	c.add(`<path class="grid" d="M%v %vV%vM%v %[2]vV%[3]v"/>`, x, firstRow-6, bottom, x+cutWidth)
	c.add(`<text class="dim small mid" transform="translate(%v %v) rotate(-90)">%s without a span</text>`, x+cutWidth/2+5, (firstRow+bottom)/2, short(idle))
	c.add(`<path class="tick" d="M%v %vv16"/><text class="dim small" x="%v" y="%v">progress event</text>`, timelineTo-266, y-13, timelineTo-257, y)
	c.add(`<path class="notice" d="M%v %vl6 6l-6 6l-6-6z"/><text class="dim small" x="%v" y="%v">without a duration</text>`, timelineTo-138, y-11, timelineTo-126, y)

	// The panel of the chosen span.
	c.add(`<rect class="panel" x="%v" y="%v" width="%v" height="%v" rx="8"/>`, margin-12, panelTop, width-2*margin+24, panelHeight)
	c.add(`<path class="error" d="M%v %vh3v%vh-3z"/>`, margin-12, panelTop+12, panelHeight-24)
	c.marker(detail, margin+10, panelTop+24)
	c.add(`<text x="%v" y="%v"><tspan class="name">%s</tspan> <tspan class="mono" dx="3">%s</tspan></text>`, margin+23, panelTop+29, detail.Name(), detail.target())
	c.add(`<text class="dim small end" x="%v" y="%v">%v of its %v attributes</text>`,
		timelineTo-4, panelTop+29, len(facts)+len(payloads), detail.Attributes().Len())
	for i, key := range facts {
		y := panelTop + 64 + i*lineHeight
		c.add(`<text class="mono dim" x="%v" y="%v">%s</text>`, margin+4, y, key)
		class := "mono"
		if strings.Contains(key, "error") {
			class = "mono error"
		}
		c.add(`<text class="%s" x="%v" y="%v">%s</text>`, class, margin+4+190, y, detail.get(key))
	}
	for i, line := range lines {
		class := "mono"
		if slices.Contains(payloads, line) {
			class = "mono dim"
		}
		c.add(`<text class="%s" x="%v" y="%v">%s</text>`, class, services, panelTop+64+i*lineHeight, line)
	}
	c.add(`</svg>`)
	return c.Bytes(), nil
}

// wrap returns each payload under its key, in lines that fit.
func wrap(s *span, room int) []string {
	var lines []string
	for _, key := range payloads {
		lines = append(lines, key)
		line := ""
		for _, word := range strings.SplitAfter(s.get(key), " ") {
			if line != "" && float64(len([]rune(line+word)))*monoWidth > float64(room) {
				lines = append(lines, line)
				line = ""
			}
			line += word
		}
		lines = append(lines, line)
	}
	return lines
}

// marker is the sign before a name: a cross for errors, a diamond for what has no duration, else a dot.
func (c *canvas) marker(s *span, x, y int) {
	switch {
	case s.failed():
		c.add(`<path class="error" transform="translate(%v %v) rotate(45)" d="M-6-1.6h4.4V-6h3.2v4.4H6v3.2H1.6V6h-3.2V1.6H-6z"/>`, x, y)
	case s.duration() == 0:
		c.diamond(s, float64(x), y)
	default:
		c.add(`<circle class="%s" cx="%v" cy="%v" r="5"/>`, s.kind(), x, y)
	}
}

func (c *canvas) diamond(s *span, x float64, y int) {
	c.add(`<path class="%s" transform="translate(%v %v)" d="M0-6L6 0L0 6L-6 0z"/>`, s.kind(), x, y)
}

func (c *canvas) bar(s *span, axis scale, middle int) {
	from, to := axis.x(s.StartTimestamp()), axis.x(s.EndTimestamp())
	if s.duration() == 0 {
		c.diamond(s, min(from, timelineTo-6), middle)
		return
	}
	to = max(to, from+3)
	c.add(`<rect class="%s" x="%v" y="%v" width="%v" height="12" rx="1.5"/>`, s.kind(), from, middle-6, to-from)
	text := short(s.duration())
	if s.failed() {
		text = s.get("mcp.error.code") + " · " + text
	}
	for _, event := range s.Events().All() {
		if event.Name() == "progress" {
			c.add(`<path class="tick" d="M%v %vv18"/>`, axis.x(event.Timestamp()), middle-9)
		}
	}
	class, x := "small", to+7
	if s.failed() {
		class += " error"
	}
	if s.depth == 0 { // its duration is in the head
		return
	}
	if x > timeline+(timelineTo-timeline)*3/4 {
		class, x = class+" end", from-7
	}
	c.add(`<text class="%s" x="%v" y="%v">%s</text>`, class, x, middle+5, text)
}

// short has three digits at most: 1.04 s, 302 ms, 3.1 ms.
func short(d time.Duration) string {
	ms := float64(d) / 1e6
	switch {
	case ms >= 1000:
		return fmt.Sprintf("%.2f s", ms/1000)
	case ms >= 10:
		return fmt.Sprintf("%.0f ms", ms)
	}
	return fmt.Sprintf("%.1f ms", ms)
}
