package spool

import (
	"bytes"
	"strconv"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
)

// Chunks come out as they went in, whatever the pace.
func TestOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(1 << 20)
		var got []Chunk
		done := make(chan struct{})
		go func() {
			defer close(done)
			s.Read(func(c Chunk) {
				c.Bytes = bytes.Clone(c.Bytes)
				got = append(got, c)
			})
		}()
		var want []Chunk
		for i := range 1000 {
			c := Chunk{Time: int64(i), Stream: i % 2, Bytes: []byte(strconv.Itoa(i))}
			want = append(want, c)
			s.Put(c.Time, c.Stream, c.Bytes)
			if i%100 == 0 {
				synctest.Wait()
			}
		}
		s.Close()
		<-done
		assert.Equal(t, want, got)
	})
}

// What does not fit is dropped, and the stream that it was of is told.
func TestFull(t *testing.T) {
	s := New(2 * (header + 4))
	s.Put(1, 0, []byte("aaaa"))
	s.Put(2, 1, []byte("bbbb"))
	s.Put(3, 1, []byte("lost"))
	var got []Chunk
	look := func(c Chunk) { got = append(got, c) }
	full, _ := s.take()
	each(full, look)
	s.Put(4, 0, []byte("cccc"))
	s.Put(5, 1, []byte("dddd"))
	s.Put(6, 0, []byte("lost"))
	s.Close()
	s.Read(look)
	assert.Equal(t, []Chunk{
		{Time: 1, Stream: 0, Bytes: []byte("aaaa")},
		{Time: 2, Stream: 1, Bytes: []byte("bbbb")},
		{Time: 4, Stream: 0, Bytes: []byte("cccc")},
		{Time: 5, Stream: 1, Gap: true, Bytes: []byte("dddd")},
	}, got[:4])
	assert.Len(t, got, 5)
	assert.True(t, got[4].Gap)
	assert.Equal(t, 0, got[4].Stream)
}

// Putting costs no allocation once the buffers have grown.
func TestPutAllocatesNothing(t *testing.T) {
	s := New(1 << 20)
	chunk := bytes.Repeat([]byte("x"), 200)
	assert.Zero(t, testing.AllocsPerRun(100, func() { s.Put(1, 0, chunk) }))
}
