package mcpprocessor

// place is what a value was part of.
type place int

const (
	inResource place = iota
	inScope
	inSpan
	inEvent
	inLink
	inLog
	inBody
	inStatus
	places
)

var placeNames = [places]string{"resource", "scope", "span", "event", "link", "log", "body", "status"}

// tally counts what was cut in one batch, by place. It lives on the stack, so
// that a batch in which nothing is cut costs no allocation and no counter.
type tally [places]struct{ values, bytes int64 }

func (t *tally) add(at place, bytes int) {
	t[at].values++
	t[at].bytes += int64(bytes)
}
