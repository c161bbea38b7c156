package recent

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestKeep(t *testing.T) {
	for _, n := range []int{0, 3, 5, 6, 13} {
		var r Ring[int]
		for i := range n {
			r.Add(i, 5)
		}
		r.Keep(3)
		want := []int{n - 3, n - 2, n - 1}
		if n == 0 {
			want = nil
		}
		assert.Equal(t, want, r.Items)
		for i := range 4 { // and goes on
			r.Add(n+i, 5)
		}
		assert.Contains(t, r.Items, n+3)
	}
}
