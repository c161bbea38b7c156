package session

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func values(l *list[int]) (all []int) {
	for n := l.front; n != nil; n = n.next {
		all = append(all, n.value)
	}
	return all
}

// TestList moves nodes between two lists as a slice says it should be.
func TestList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var lists [2]list[int]
		var want [2][]int
		nodes := make([]node[int], 4)
		for i := range nodes {
			nodes[i].value = i
		}
		for range rapid.IntRange(0, 30).Draw(t, "moves") {
			i, to := rapid.IntRange(0, 3).Draw(t, "node"), rapid.IntRange(0, 2).Draw(t, "to")
			for l := range want {
				want[l] = slices.DeleteFunc(want[l], func(v int) bool { return v == i })
			}
			if to == 2 {
				nodes[i].leave()
			} else {
				lists[to].moveToBack(&nodes[i])
				want[to] = append(want[to], i)
			}
			for l := range want {
				require.Equal(t, slices.Clip(append([]int(nil), want[l]...)), values(&lists[l]))
				soundList(t, &lists[l])
			}
		}
	})
}
