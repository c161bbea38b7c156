package index

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
)

// seed makes the hashes of a table differ from process to process, so that nobody
// can choose keys that all land in one place of it.
type seed struct{ low, high uint64 }

func newSeed() seed { return seed{random(), random()} }

// random returns the hash of nothing with a seed of its own.
func random() uint64 { return maphash.String(maphash.MakeSeed(), "") }

// hash folds the product of both halves, as the runtime does for short keys where
// the processor has no instructions for it. It is inlined, so it takes a fraction
// of what [maphash] does.
func (s seed) hash(key [16]byte) uint32 {
	high, low := bits.Mul64(binary.LittleEndian.Uint64(key[:8])^s.low, binary.LittleEndian.Uint64(key[8:])^s.high)
	return uint32((high ^ low) >> 32) // half of it is enough
}
