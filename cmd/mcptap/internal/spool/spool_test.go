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

// What does not fit is dropped, and the next chunk of its stream says what that
// was.
func TestFull(t *testing.T) {
	s := newSpool(header+4, 2)
	s.Put(1, 0, []byte("aa"))
	s.Put(2, 1, []byte("b\nbb"))
	s.Put(3, 1, []byte("lost\nlost\n"))
	s.Put(3, 0, []byte("lost\nlo"))
	s.Put(3, 0, []byte("st"))
	var got []Chunk
	look := func(c Chunk) {
		c.Bytes = bytes.Clone(c.Bytes)
		got = append(got, c)
	}
	filled, _ := s.take()
	for _, segment := range filled {
		each(segment, look)
		s.release(segment)
	}
	s.Put(4, 0, []byte("cccc"))
	s.Put(5, 1, []byte("dddd"))
	s.Put(6, 0, []byte("lost"))
	s.Close()
	s.Read(look)
	assert.Equal(t, []Chunk{
		{Time: 1, Stream: 0, Bytes: []byte("aa")},
		{Time: 2, Stream: 1, Bytes: []byte("b\nbb")},
		{Time: 4, Stream: 0, Gap: Gap{Present: true, Lines: 1, Torn: true}, Bytes: []byte("cccc")},
		{Time: 5, Stream: 1, Gap: Gap{Present: true, Lines: 2}, Bytes: []byte("dddd")},
	}, got[:4])
	assert.Len(t, got, 5)
	assert.Equal(t, Gap{Present: true, Torn: true}, got[4].Gap)
	assert.Equal(t, 0, got[4].Stream)
}

// A chunk that is larger than what a segment has left goes on in the next one.
func TestChunkOverSegments(t *testing.T) {
	s := newSpool(header+4, 3)
	s.Put(1, 1, []byte("0123456789"))
	s.Close()
	var got []byte
	s.Read(func(c Chunk) {
		assert.Equal(t, 1, c.Stream)
		assert.False(t, c.Gap.Present)
		got = append(got, c.Bytes...)
	})
	assert.Equal(t, "0123456789", string(got))
}

// Putting costs no allocation once the buffers have grown.
func TestPutAllocatesNothing(t *testing.T) {
	s := New(1 << 20)
	chunk := bytes.Repeat([]byte("x"), 200)
	s.Put(1, 0, chunk)
	assert.Zero(t, testing.AllocsPerRun(100, func() { s.Put(1, 0, chunk) }))
}
