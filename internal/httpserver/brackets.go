package httpserver

// brackets finds out how deeply JSON that comes in pieces is nested. It judges
// nothing else.
type brackets struct {
	open            int
	quoted, escaped bool
}

// add takes more bytes. The error is errDeep.
func (n *brackets) add(p []byte) error {
	for _, b := range p {
		switch {
		case n.escaped:
			n.escaped = false
		case n.quoted:
			n.escaped, n.quoted = b == '\\', b != '"'
		case b == '"':
			n.quoted = true
		case b == '[' || b == '{':
			if n.open++; n.open > deepest {
				return errDeep
			}
		case b == ']' || b == '}':
			n.open--
		}
	}
	return nil
}
