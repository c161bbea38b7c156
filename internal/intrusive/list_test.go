package intrusive

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func values(l *List[int]) (all []int) {
	for n := l.Front(); n != nil; n = n.Next() {
		all = append(all, n.Value)
	}
	return all
}

func sound[T any](t require.TestingT, l *List[T]) {
	n := 0
	var last *Node[T]
	for x := l.front; x != nil; x = x.next {
		require.Same(t, l, x.in)
		require.Same(t, last, x.prev)
		last = x
		n++
	}
	require.Same(t, last, l.Back())
	require.Equal(t, n, l.Len())
}

// TestList moves nodes between two lists as a slice says it should be.
func TestList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var lists [2]List[int]
		var want [2][]int
		nodes := make([]Node[int], 4)
		for i := range nodes {
			nodes[i].Value = i
		}
		for range rapid.IntRange(0, 30).Draw(t, "moves") {
			i, to := rapid.IntRange(0, 3).Draw(t, "node"), rapid.IntRange(0, 2).Draw(t, "to")
			for l := range want {
				want[l] = slices.DeleteFunc(want[l], func(v int) bool { return v == i })
			}
			if to == 2 {
				nodes[i].Leave()
			} else {
				lists[to].MoveToBack(&nodes[i])
				want[to] = append(want[to], i)
			}
			for l := range want {
				require.Equal(t, slices.Clip(append([]int(nil), want[l]...)), values(&lists[l]))
				require.Equal(t, l == to, nodes[i].In(&lists[l]))
				sound(t, &lists[l])
			}
			require.Equal(t, to < 2, nodes[i].Listed())
		}
	})
}
