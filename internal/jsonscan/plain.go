package jsonscan

import "math/bits"

// Plain returns how many bytes at the front of s a JSON string may hold as they are,
// ASCII only: up to the first quote, backslash, control character, or byte
// outside ASCII.
func Plain(s string) int {
	i := 0
	for ; i+8 <= len(s); i += 8 {
		if m := special(wordOf(s[i : i+8])); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
	}
	for i < len(s) && s[i] >= ' ' && s[i] < 0x80 && s[i] != '"' && s[i] != '\\' {
		i++
	}
	return i
}

// wordOf is word of a string.
func wordOf(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}
