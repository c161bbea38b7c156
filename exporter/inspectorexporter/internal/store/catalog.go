package store

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"os"
	"slices"
)

// indexName is the file with what [Options.Meta] told of each session, a line
// each, the last one counting. It only saves time: a session whose files are not
// as big as its line says is read instead.
const indexName = ".sessions.jsonl"

// entry is one line of the index.
type entry struct {
	ID    string          `json:"id"`
	ZSize int64           `json:"zsize"` // of all files
	Sizes []int64         `json:"sizes"` // bytes of lines in each file
	Meta  json.RawMessage `json:"meta"`
}

// catalog is the index of a folder. It is not safe for concurrent use.
type catalog struct {
	dir   *folder
	spare int // of them that may not be the last of their session
}

var errNegative = errors.New("a session's file has a negative size")

// read visits what can be read of the index; a line that cannot is as if it were
// missing.
func (c *catalog) read(visit func(*entry)) error {
	in, err := c.dir.Open(indexName)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // was only read
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	var wrong, damage error // of the last line, which a crash may have torn; of one before
	for ; lines.Scan(); c.spare++ {
		damage = cmp.Or(damage, wrong)
		var e entry
		if wrong = json.Unmarshal(lines.Bytes(), &e); wrong != nil {
			continue
		}
		if slices.ContainsFunc(e.Sizes, func(size int64) bool { return size < 0 }) {
			damage = errNegative
			continue
		}
		visit(&e)
	}
	if damage = cmp.Or(damage, lines.Err()); damage != nil {
		c.dir.sayDamaged(indexName, damage)
	}
	return nil // what could not be read is read from the sessions' files
}

// add appends the lines of sessions that ended, of those that have one.
func (c *catalog) add(files []*file, line func(*file) []byte) error {
	var lines []byte
	n := 0
	for _, f := range files {
		if text := line(f); text != nil {
			lines = append(lines, text...)
			n++
		}
	}
	if n == 0 {
		return nil
	}
	out, err := c.dir.OpenFile(indexName, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = out.Write(lines)
	c.spare += n
	return errors.Join(err, out.Close())
}

// spareEntries is how many lines the index may get before it is written again:
// one that is killed again and again never closes it.
const spareEntries = 10_000

func (c *catalog) isLong() bool { return c.spare > spareEntries }

// rewrite makes the index one of a line for each session.
func (c *catalog) rewrite(files []*file, line func(*file) []byte) error {
	const name = indexName + ".new"
	out, err := c.dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(out)
	for _, f := range files {
		if _, err = w.Write(line(f)); err != nil {
			break
		}
	}
	if err = errors.Join(err, w.Flush(), out.Sync(), out.Close()); err != nil {
		return err
	}
	c.spare = 0
	return c.dir.Rename(name, indexName)
}
