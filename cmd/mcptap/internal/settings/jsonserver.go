package settings

import (
	"errors"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// jsonServer is the object of a server that is started as a program. Its command
// is a string, with the arguments beside it, or an array of both.
type jsonServer struct {
	named  string
	isACP  bool
	object *hujson.Object
	key    string // of the command; path in Zed's older form
}

func (s *jsonServer) name() string { return s.named }
func (s *jsonServer) acp() bool    { return s.isACP }

func (s *jsonServer) find(key string) *hujson.ObjectMember {
	for i := range s.object.Members {
		if nameOf(&s.object.Members[i]) == key {
			return &s.object.Members[i]
		}
	}
	return nil
}

func (s *jsonServer) member(key string) hujson.ValueTrimmed {
	if m := s.find(key); m != nil {
		return m.Value.Value
	}
	return nil
}

// list is the command if it is an array, else nil.
func (s *jsonServer) list() *hujson.Array {
	list, _ := s.member(s.key).(*hujson.Array)
	return list
}

func (s *jsonServer) isProgram() bool {
	if list := s.list(); list != nil {
		return len(list.Elements) > 0 && textOf(list.Elements[0].Value) != ""
	}
	return textOf(s.member(s.key)) != ""
}

var errArgs = errors.New("its args are not a list: make them one first")

// args is nil if there are none.
func (s *jsonServer) args() (*hujson.Array, error) {
	switch args := s.member("args").(type) {
	case nil:
		return nil, nil //nolint:nilnil // as documented
	case *hujson.Array:
		return args, nil
	case hujson.Literal:
		if args.Kind() == 'n' {
			return nil, nil //nolint:nilnil // as documented
		}
	}
	return nil, errArgs
}

func (s *jsonServer) argv() (all []string, err error) {
	list := s.list()
	if list == nil {
		all = append(all, textOf(s.member(s.key)))
		if list, err = s.args(); list == nil {
			return all, err
		}
	}
	for i := range list.Elements {
		all = append(all, textOf(list.Elements[i].Value))
	}
	return all, nil
}

func (s *jsonServer) replace(program string, arguments []string) {
	front := make([]hujson.ValueTrimmed, len(arguments), len(arguments)+1)
	for i, text := range arguments {
		front[i] = hujson.String(text)
	}
	if list := s.list(); list != nil {
		prepend(list, append([]hujson.ValueTrimmed{hujson.String(program)}, front...))
		return
	}
	command := &s.find(s.key).Value
	front = append(front, command.Value) // as it is written, with its escapes
	command.Value = hujson.String(program)
	prepend(s.needArgs(), front)
}

// needArgs makes sure that there is an array of arguments.
func (s *jsonServer) needArgs() *hujson.Array {
	if args, _ := s.args(); args != nil {
		return args
	}
	args := &hujson.Array{}
	if m := s.find("args"); m != nil {
		m.Value.Value = args
		return args
	}
	i := slices.IndexFunc(s.object.Members, func(m hujson.ObjectMember) bool { return nameOf(&m) == s.key })
	command := s.object.Members[i]
	member := hujson.ObjectMember{
		Name:  hujson.Value{BeforeExtra: blank(command.Name.BeforeExtra), Value: hujson.String("args")},
		Value: hujson.Value{BeforeExtra: blank(command.Value.BeforeExtra), Value: args},
	}
	s.object.Members = slices.Insert(s.object.Members, i+1, member)
	return args
}

// prepend puts values before what is there, laid out like it.
func prepend(to *hujson.Array, values []hujson.ValueTrimmed) {
	var first, others hujson.Extra = nil, hujson.Extra(" ")
	if len(to.Elements) > 0 {
		first = blank(to.Elements[0].BeforeExtra)
	}
	if strings.Contains(string(first), "\n") {
		others = first
	}
	front := make([]hujson.Value, len(values))
	for i, value := range values {
		front[i] = hujson.Value{BeforeExtra: others, Value: value}
	}
	front[0].BeforeExtra = first
	if len(to.Elements) > 0 && len(to.Elements[0].BeforeExtra) == 0 {
		to.Elements[0].BeforeExtra = others
	}
	to.Elements = append(front, to.Elements...)
}

// blank is white space like that of extra, without its comments.
func blank(extra hujson.Extra) hujson.Extra {
	text := string(extra)
	if strings.TrimSpace(text) == "" {
		return hujson.Extra(text)
	}
	if i := strings.LastIndexByte(text, '\n'); i >= 0 && strings.TrimSpace(text[i:]) == "" {
		return hujson.Extra(text[i:])
	}
	return hujson.Extra(" ")
}

func (s *jsonServer) restore(index int) {
	if list := s.list(); list != nil {
		dropFirst(list, index)
		return
	}
	args, _ := s.args()
	s.find(s.key).Value.Value = args.Elements[index-1].Value
	if index == len(args.Elements) {
		s.object.Members = slices.DeleteFunc(s.object.Members, func(m hujson.ObjectMember) bool { return nameOf(&m) == "args" })
		return
	}
	dropFirst(args, index)
}

// dropFirst removes so many elements; the first that stays is laid out as the
// first was.
func dropFirst(from *hujson.Array, n int) {
	rest := slices.Clone(from.Elements[n:])
	if strings.TrimSpace(string(rest[0].BeforeExtra)) == "" {
		rest[0].BeforeExtra = from.Elements[0].BeforeExtra
	}
	from.Elements = rest
}
