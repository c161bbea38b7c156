package dialect

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// ours begins the names of the scopes of this project's own telemetry, which has the
// keys of both conventions already.
const ours = "github.com/otelcol-mcp/"

// Evidence are facts that speak for dialects, a bit each.
type Evidence uint64

// done is the evidence that the span was normalized before.
const done = Evidence(1) << 63

// Detector finds the dialect of a span or log record. It is safe for concurrent use.
type Detector struct {
	// Tables lists the dialects that are tried, in this order.
	Tables []*Table
	rules  []rule
	keys   index
	names  index
	events index
	scopes index
	// endings maps the ends of span names, from their last dot on.
	endings map[string]Evidence
	// services are values of service.name, of any case.
	services map[string]Evidence
}

// rule holds what speaks for one dialect.
type rule struct {
	any  Evidence // each suffices
	name Evidence // suffices together with all
	with Evidence
	// ending suffices together with all of endingWith.
	ending     Evidence
	endingWith Evidence
}

// mark is a text, or the beginning of one, and what it is Evidence for.
type mark struct {
	text   string
	prefix bool
	is     Evidence
}

func (m *mark) match(s string) bool {
	if m.prefix {
		return strings.HasPrefix(s, m.text)
	}
	return s == m.text
}

// index finds marks by the first two bytes of a text. Most texts have none.
type index struct {
	lists [256][]mark
	// lengths has a bit for the length of each mark that is no prefix, modulo 64, and
	// all bits where there is a prefix.
	lengths [256]uint64
}

func (x *index) add(m mark) {
	first := bucket(m.text)
	x.lists[first] = append(x.lists[first], m)
	if m.prefix {
		x.lengths[first] = ^uint64(0)
	} else {
		x.lengths[first] |= 1 << (len(m.text) % 64)
	}
}

// bucket is where a text of two bytes or more belongs.
func bucket(s string) uint8 { return s[0]*31 ^ s[1] }

func (x *index) find(s string) Evidence {
	if len(s) < 2 {
		return 0
	}
	if at := bucket(s); x.lengths[at]&(1<<(len(s)%64)) != 0 {
		return x.among(at, s)
	}
	return 0
}

func (x *index) among(at uint8, s string) (found Evidence) {
	list := x.lists[at]
	for i := range list {
		if list[i].match(s) {
			found |= list[i].is
		}
	}
	return found
}

// NewDetector makes one of the dialects with these names, of all if there are none.
func NewDetector(names []string) *Detector {
	d := &Detector{services: map[string]Evidence{}, endings: map[string]Evidence{}}
	chosen := map[string]bool{}
	for _, name := range names {
		chosen[name] = true
	}
	c := compiler{Detector: d, with: map[string]Evidence{}}
	for _, one := range All() {
		if len(names) == 0 || chosen[one.Name] {
			c.add(one)
		}
	}
	d.keys.add(mark{text: mcpconv.Dialect, is: done})
	return d
}

// compiler numbers the evidence.
type compiler struct {
	*Detector
	next uint
	with map[string]Evidence
}

func (c *compiler) bit() Evidence {
	c.next++
	return 1 << (c.next - 1)
}

func (c *compiler) add(one *Dialect) {
	var r rule
	alone := c.bit()
	r.any = alone
	for _, key := range one.Detect.Keys {
		c.keys.add(markOf(key, alone))
	}
	for _, scope := range one.Detect.Scopes {
		c.scopes.add(markOf(scope, alone))
	}
	for _, service := range one.Detect.Services {
		c.services[service] |= alone
	}
	for _, event := range one.Detect.Events {
		c.events.add(markOf(event, alone))
	}
	if len(one.Detect.Names) > 0 {
		r.name = c.bit()
		for _, name := range one.Detect.Names {
			c.names.add(markOf(name, r.name))
		}
		for _, key := range one.Detect.With {
			r.with |= c.key(key)
		}
	}
	if len(one.Detect.Endings) > 0 {
		r.ending = c.bit()
		for _, ending := range one.Detect.Endings {
			c.endings[ending] |= r.ending
		}
		for _, key := range one.Detect.EndingsWith {
			r.endingWith |= c.key(key)
		}
	}
	c.Tables = append(c.Tables, NewTable(one))
	c.rules = append(c.rules, r)
}

// key is the evidence that a key is there.
func (c *compiler) key(key string) Evidence {
	if c.with[key] == 0 {
		c.with[key] = c.bit()
		c.keys.add(mark{text: key, is: c.with[key]})
	}
	return c.with[key]
}

func markOf(text string, is Evidence) mark {
	head, prefix := strings.CutSuffix(text, "*")
	return mark{text: head, prefix: prefix, is: is}
}

// Scope returns what the resource and the name of the scope speak for; skip is true for
// telemetry of our own.
func (d *Detector) Scope(service Evidence, name string) (found Evidence, skip bool) {
	if name == "" {
		return service, false
	}
	if strings.HasPrefix(name, ours) {
		return 0, true
	}
	return service | d.scopes.find(name), false
}

// Service returns what the name of the resource's service speaks for.
func (d *Detector) Service(resource pcommon.Map) Evidence {
	if len(d.services) == 0 {
		return 0
	}
	if v, ok := resource.Get(mcpconv.ServiceName); ok && v.Type() == pcommon.ValueTypeStr {
		return d.services[v.Str()]
	}
	return 0
}

// Conventional reports whether a span that has no dialect is one of the conventions for
// generative AI or MCP.
func Conventional(attributes pcommon.Map) bool {
	for _, key := range [...]string{mcpconv.GenAIOperation, mcpconv.MethodName, mcpconv.GenAIConversation} {
		if v, ok := attributes.Get(key); ok && v.Type() == pcommon.ValueTypeStr {
			return true
		}
	}
	return false
}

// Span is the index of the span's dialect in the tables, -1 if it has none.
func (d *Detector) Span(found Evidence, name string, attributes pcommon.Map) int {
	found |= d.names.find(name) | d.attributes(attributes)
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
		found |= d.endings[name[dot:]]
	}
	return d.decide(found)
}

func (d *Detector) attributes(m pcommon.Map) (found Evidence) {
	for key := range m.All() {
		found |= d.keys.find(key)
	}
	return found
}

// Record is likewise for a log record, whose name is its event name, that of its
// attribute event.name, or its body.
func (d *Detector) Record(found Evidence, r plog.LogRecord) int {
	found |= d.attributes(r.Attributes()) | d.events.find(r.EventName())
	if v, ok := r.Attributes().Get("event.name"); ok && v.Type() == pcommon.ValueTypeStr {
		found |= d.events.find(v.Str())
	}
	if r.Body().Type() == pcommon.ValueTypeStr {
		found |= d.events.find(r.Body().Str())
	}
	return d.decide(found)
}

// decide is the first dialect for which something speaks.
func (d *Detector) decide(found Evidence) int {
	if found == 0 || found&done != 0 {
		return -1
	}
	for i := range d.rules {
		r := &d.rules[i]
		if found&r.any != 0 || found&r.name != 0 && found&r.with == r.with || found&r.ending != 0 && found&r.endingWith == r.endingWith {
			return i
		}
	}
	return -1
}
