package jsonrpc

import "github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"

// Typed is a member that must be of a type if it is there.
type Typed struct {
	Value jsonscan.Value
	Is    func(jsonscan.Value) bool
	Why   string // what is wrong with a value of another type
}

// FirstWrong returns what is wrong with the first member of another type, "" if there
// is none. Null is as good as absent.
func FirstWrong(members []Typed) string {
	for i := range members {
		if v := members[i].Value; v != "" && !v.IsNull() && !members[i].Is(v) {
			return members[i].Why
		}
	}
	return ""
}

// IsInteger reports whether the value is an integer of 64 bits.
func IsInteger(v jsonscan.Value) bool {
	_, ok := v.Int()
	return ok
}

// IsBoolean reports whether the value is true or false.
func IsBoolean(v jsonscan.Value) bool { return v == "true" || v == "false" }

// InvalidParams is why params of a notification or request cannot be read, "" if
// they can or are absent.
func (p *Params) InvalidParams() string {
	if p.Raw != "" && !p.Raw.IsObject() && !p.Raw.IsArray() {
		return "params is neither an object nor an array"
	}
	return ""
}
