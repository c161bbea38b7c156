package passthrough

import (
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// running passes on what is written to in; the client reads it from out.
func running() (o *output, in io.WriteCloser, out io.Reader) {
	from, in := io.Pipe()
	out, to := io.Pipe()
	o = &output{from: from, to: to, done: make(chan struct{})}
	go o.run(func(int64, []byte) {})
	return o, in, out
}

// A client that reads slowly gets all of what a server wrote before it ended.
func TestDrainWaitsForTheClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, in, out := running()
		go func() {
			_, _ = io.WriteString(in, "last words")
			_ = in.Close()
		}()
		read := make(chan string)
		go func() {
			time.Sleep(time.Hour)
			text, _ := io.ReadAll(out)
			read <- string(text)
		}()
		o.drain(nil, true)
		assert.Equal(t, "last words", <-read)
	})
}

// But not when it is told to stop, nor for children of the server that hold its
// output open.
func TestDrainEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, in, out := running()
		go func() { _, _ = io.WriteString(in, "last words") }()
		late := make(chan struct{}, 1)
		time.AfterFunc(time.Hour, func() { late <- struct{}{} })
		begun := time.Now()
		o.drain(late, true)
		assert.Equal(t, time.Hour, time.Since(begun))
		o.drain(late, false)
		assert.Less(t, time.Since(begun), time.Hour+time.Minute)

		text := make([]byte, 100)
		n, err := out.Read(text)
		assert.NoError(t, err)
		assert.Equal(t, "last words", string(text[:n]))
		o.drain(late, true)
		assert.Less(t, time.Since(begun), 2*time.Hour)
		_ = in.Close()
		<-o.done
	})
}
