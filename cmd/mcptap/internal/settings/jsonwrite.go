package settings

import (
	"bytes"

	"github.com/tailscale/hujson"
)

// render writes a value as it looks at an indentation: an object over several
// lines, and a list, with all that is in it, in one.
func (d *jsonDocument) render(value any, indent string, inline bool) (hujson.ValueTrimmed, error) {
	var b bytes.Buffer
	if err := d.write(&b, value, indent, inline); err != nil {
		return nil, err
	}
	v, err := hujson.Parse(b.Bytes())
	return v.Value, err
}

func (d *jsonDocument) write(b *bytes.Buffer, value any, indent string, inline bool) error {
	switch v := value.(type) {
	case Object:
		return d.writeObject(b, v, indent, inline)
	case []any:
		b.WriteByte('[')
		for i, element := range v {
			if i > 0 {
				b.WriteString(", ")
			}
			if err := d.write(b, element, "", true); err != nil {
				return err
			}
		}
		b.WriteByte(']')
		return nil
	}
	text, err := Marshal(value)
	b.Write(text)
	return err
}

func (d *jsonDocument) writeObject(b *bytes.Buffer, o Object, indent string, inline bool) error {
	before, between, after := d.nl+indent+d.unit, ","+d.nl+indent+d.unit, d.nl+indent
	if inline || len(o) == 0 {
		before, between, after = "", ", ", ""
	}
	b.WriteString("{" + before)
	for i, m := range o {
		if i > 0 {
			b.WriteString(between)
		}
		key, err := Marshal(m.Key)
		if err != nil {
			return err
		}
		b.Write(key)
		b.WriteString(": ")
		if err = d.write(b, m.Value, indent+d.unit, inline); err != nil {
			return err
		}
	}
	b.WriteString(after + "}")
	return nil
}
