package figures

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// Table is written when it is flushed.
type Table struct{ *tabwriter.Writer }

// NewTable begins a table.
func NewTable(w io.Writer, columns ...string) Table {
	t := Table{tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)}
	t.Row(columns...)
	t.Row(slices.Repeat([]string{"---"}, len(columns))...)
	return t
}

// Row adds a line.
func (t Table) Row(cells ...string) { fmt.Fprintf(t, "| %s\t|\n", strings.Join(cells, "\t| ")) }

// YesNo is a cell.
func YesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}
