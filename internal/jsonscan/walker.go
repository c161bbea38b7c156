package jsonscan

// walker steps over a value of any kind, or tells the cursor's error where it is wrong.
type walker struct {
	c    *Cursor
	open stack
}

// value is a loop, so that no text can exhaust the stack.
func (w *walker) value() bool {
	for {
		switch w.c.Peek() {
		case '{', '[':
			if !w.descend() {
				return false
			}
			if w.open.n > 0 && w.c.fresh {
				continue
			}
		default:
			if !w.c.scalar() {
				return false
			}
		}
		if done, ok := w.ascend(); done || !ok {
			return ok
		}
	}
}

// descend opens one bracket; an empty one is closed at once.
func (w *walker) descend() bool {
	c := w.c
	object := c.b[c.i] == '{'
	if c.depth+w.open.n >= MaxDepth || !w.open.push(object) {
		return c.fail("nested too deep")
	}
	c.i++
	closing := byte(']')
	if object {
		closing = '}'
	}
	if c.Peek() == closing {
		c.i++
		w.open.n--
		c.fresh = false
		return true
	}
	c.fresh = true
	return !object || w.name()
}

// ascend follows a finished value: a comma leads to the next one, brackets close.
func (w *walker) ascend() (done, ok bool) {
	c := w.c
	c.fresh = false
	for w.open.n > 0 {
		object := w.open.top()
		switch ch := c.Peek(); {
		case ch == ',':
			c.i++
			return false, !object || w.name()
		case ch == '}' && object, ch == ']' && !object:
			c.i++
			w.open.n--
		default:
			return false, c.fail("expected a comma or a closing bracket")
		}
	}
	return true, true
}

func (w *walker) name() bool {
	c := w.c
	if c.Peek() != '"' {
		return c.fail("expected a member name")
	}
	if c.string(); c.Peek() != ':' {
		return c.fail("expected a colon")
	}
	c.i++
	return true
}
