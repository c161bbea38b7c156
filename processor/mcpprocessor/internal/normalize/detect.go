package normalize

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// ours begins the names of the scopes of this project's own telemetry, which has the
// keys of both conventions already.
const ours = "github.com/otelcol-mcp/"

// evidence are facts that speak for dialects, a bit each.
type evidence uint64

// done is the evidence that the span was normalized before.
const done = evidence(1) << 63

// detector finds out which dialect a span or log record is in. Its order is that of
// the tables. It is safe for concurrent use.
type detector struct {
	tables []*dialect.Table
	rules  []rule
	keys   index
	names  index
	events index
	scopes index
	// endings are what names of spans end in, from their last dot on.
	endings map[string]evidence
	// services are values of service.name, of any case.
	services map[string]evidence
	scopeOf  evidence // all evidence that a scope or a resource can give
}

// rule is what speaks for one dialect.
type rule struct {
	any  evidence // each suffices
	name evidence // suffices together with all
	with evidence
	// ending suffices together with all of endingWith.
	ending     evidence
	endingWith evidence
}

// mark is a text, or the beginning of one, and what it is evidence for.
type mark struct {
	text   string
	prefix bool
	is     evidence
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

func (x *index) find(s string) evidence {
	if len(s) < 2 {
		return 0
	}
	if at := bucket(s); x.lengths[at]&(1<<(len(s)%64)) != 0 {
		return x.among(at, s)
	}
	return 0
}

func (x *index) among(at uint8, s string) (found evidence) {
	list := x.lists[at]
	for i := range list {
		if list[i].match(s) {
			found |= list[i].is
		}
	}
	return found
}

// newDetector makes one of the dialects with these names, of all if there are none.
func newDetector(names []string) *detector {
	d := &detector{services: map[string]evidence{}, endings: map[string]evidence{}}
	chosen := map[string]bool{}
	for _, name := range names {
		chosen[name] = true
	}
	c := compiler{detector: d, with: map[string]evidence{}}
	for _, one := range dialect.All() {
		if len(names) == 0 || chosen[one.Name] {
			c.add(one)
		}
	}
	d.keys.add(mark{text: mcpconv.Dialect, is: done})
	return d
}

// compiler numbers the evidence.
type compiler struct {
	*detector
	next uint
	with map[string]evidence
}

func (c *compiler) bit() evidence {
	c.next++
	return 1 << (c.next - 1)
}

func (c *compiler) add(one *dialect.Dialect) {
	var r rule
	alone := c.bit()
	r.any = alone
	for _, key := range one.Detect.Keys {
		c.keys.add(markOf(key, alone))
	}
	for _, scope := range one.Detect.Scopes {
		c.scopes.add(markOf(scope, alone))
		c.scopeOf |= alone
	}
	for _, service := range one.Detect.Services {
		c.services[service] |= alone
		c.scopeOf |= alone
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
	c.tables = append(c.tables, dialect.NewTable(one))
	c.rules = append(c.rules, r)
}

// key is the evidence that a key is there.
func (c *compiler) key(key string) evidence {
	if c.with[key] == 0 {
		c.with[key] = c.bit()
		c.keys.add(mark{text: key, is: c.with[key]})
	}
	return c.with[key]
}

func markOf(text string, is evidence) mark {
	head, prefix := strings.CutSuffix(text, "*")
	return mark{text: head, prefix: prefix, is: is}
}

// scope is what the resource and the name of the scope speak for; skip is true for
// telemetry of our own.
func (d *detector) scope(service evidence, name string) (found evidence, skip bool) {
	if name == "" {
		return service, false
	}
	if strings.HasPrefix(name, ours) {
		return 0, true
	}
	return service | d.scopes.find(name), false
}

func (d *detector) service(resource pcommon.Map) evidence {
	if len(d.services) == 0 {
		return 0
	}
	if v, ok := resource.Get(mcpconv.ServiceName); ok && v.Type() == pcommon.ValueTypeStr {
		return d.services[v.Str()]
	}
	return 0
}

// span is the index of the span's dialect in the tables, -1 if it has none.
func (d *detector) span(found evidence, name string, attributes pcommon.Map) int {
	found |= d.names.find(name) | d.attributes(attributes)
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
		found |= d.endings[name[dot:]]
	}
	return d.decide(found)
}

func (d *detector) attributes(m pcommon.Map) (found evidence) {
	for key := range m.All() {
		found |= d.keys.find(key)
	}
	return found
}

// record is likewise for a log record, whose name is its event name, that of its
// attribute event.name, or its body.
func (d *detector) record(found evidence, r plog.LogRecord) int {
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
func (d *detector) decide(found evidence) int {
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
