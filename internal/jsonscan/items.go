package jsonscan

// Items walks the items of a body: one value, an array of them, or any number
// of either one after another, as in NDJSON. take must consume the value at the
// cursor; if it fails, or the text does, reject gets the item's 0-based index
// and the reason. A syntax error costs the rest of its line and, inside an
// array, what the array holds behind it; nothing else.
//
// It returns how many items there were.
func Items(body []byte, take func(i int, c *Cursor) error, reject func(i int, err error)) int {
	w := itemWalk{take: take, reject: reject}
	w.c.Reset(body)
	for !w.c.End() {
		if w.c.Peek() == '[' {
			w.array()
		} else {
			w.item()
		}
		if w.c.Err() != nil && !w.c.SkipLine() {
			break
		}
	}
	return w.n
}

type itemWalk struct {
	c      Cursor
	n      int
	take   func(int, *Cursor) error
	reject func(int, error)
}

func (w *itemWalk) array() {
	w.c.EnterArray()
	for w.c.Next() {
		if !w.item() {
			return
		}
	}
	if w.c.Err() != nil {
		w.reject(w.n, w.c.Err())
		w.n++
	}
}

func (w *itemWalk) item() bool {
	err := w.take(w.n, &w.c)
	if w.c.Err() != nil {
		err = w.c.Err()
	}
	if err != nil {
		w.reject(w.n, err)
	}
	w.n++
	return w.c.Err() == nil
}
