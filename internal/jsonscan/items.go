package jsonscan

// Items walks the items of a body: one value, an array of them, or any number
// of either one after another, as in NDJSON:
//
//	var items Items
//	items.Reset(body)
//	for items.Next() {
//		err := items.Done(decode(items.Cursor()))
//		…
//	}
//
// A syntax error costs the line on which the item begins: what follows is read
// as if nothing had been. Inside an array it costs the rest of the line on which
// it was noticed, since the array may be all on one. A body that breaks again
// and again far behind where its items begin is read at most twice.
type Items struct {
	c       Cursor
	n       int
	from    int // where the item began
	again   int // bytes that may yet be read twice
	inArray bool
}

// Reset starts anew with a body.
func (w *Items) Reset(body []byte) {
	*w = Items{again: len(body)}
	w.c.Reset(body)
}

// Cursor stands at the item; the caller must consume it. If the text broke
// before the item could begin, the cursor has an error already.
func (w *Items) Cursor() *Cursor { return &w.c }

// Index is the item's number, from 0; after the last, Index()+1 items were seen.
func (w *Items) Index() int { return w.n - 1 }

// Next moves to the next item, false at the end of the body.
func (w *Items) Next() bool {
	for {
		if w.inArray && !w.nextElement() {
			continue
		}
		if !w.inArray && w.c.Err() == nil {
			if w.c.End() {
				return false
			}
			w.from = w.c.Offset()
			if w.c.Peek() == '[' {
				w.c.EnterArray()
				w.inArray = true
				continue
			}
		}
		w.n++
		return true
	}
}

// nextElement is false at the array's end; a broken array counts as one item
// more.
func (w *Items) nextElement() bool {
	if w.c.Next() {
		return true
	}
	if w.c.Err() != nil {
		return true
	}
	w.inArray = false
	return false
}

// Done ends the item. err is why it could not be decoded; what Done returns is
// why it cannot be taken, nil if it can.
func (w *Items) Done(err error) error {
	if w.c.Err() == nil {
		return err
	}
	err = w.c.Err()
	if w.again -= w.c.Offset() - w.from; w.inArray || w.again < 0 {
		w.from = w.c.Offset()
	}
	w.inArray = false
	w.c.SkipLine(w.from)
	return err
}
