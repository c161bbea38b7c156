package main

import (
	"bufio"
	"bytes"
	"io"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"time"
)

// sample holds what one round says of one way.
type sample struct {
	p50, p99  float64 // of a round trip, µs
	perSecond float64 // pipelined calls
	large     float64 // MB/s of large replies
	rss       float64 // peak, MiB, of the process that was started
	lost      float64 // records of a burst, of which there are two a call
}

// pair is a client, which is this process, and what it talks to.
type pair struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	said bytes.Buffer // on standard error
}

func connect(cmd *exec.Cmd) (*pair, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p := &pair{cmd: cmd, in: in, out: bufio.NewReaderSize(out, 64<<10)}
	cmd.Stderr = &p.said
	return p, cmd.Start()
}

// end may be called twice.
func (p *pair) end() error {
	_ = p.in.Close()
	if p.cmd.ProcessState != nil {
		return nil
	}
	return p.cmd.Wait()
}

func (p *pair) call(request []byte) error {
	if _, err := p.in.Write(request); err != nil {
		return err
	}
	return p.reply()
}

// reply reads one line.
func (p *pair) reply() error {
	for {
		_, err := p.out.ReadSlice('\n')
		if err != bufio.ErrBufferFull { //nolint:errorlint // as it is returned
			return err
		}
	}
}

func (p *pair) warm(request []byte, n int) error {
	for range n {
		if err := p.call(request); err != nil {
			return err
		}
	}
	return nil
}

func (p *pair) roundTrips(n int, s *sample) error {
	if err := p.warm(request, n/10); err != nil {
		return err
	}
	took := make([]float64, n)
	for i := range took {
		begun := time.Now()
		if err := p.call(request); err != nil {
			return err
		}
		took[i] = float64(time.Since(begun).Nanoseconds()) / 1e3
	}
	slices.Sort(took)
	s.p50, s.p99 = took[n/2], took[n*99/100]
	return nil
}

func (p *pair) pipeline(n int, s *sample) error {
	if err := p.warm(request, n/100); err != nil {
		return err
	}
	begun := time.Now()
	err := p.inFlight(n)
	s.perSecond = float64(n) / time.Since(begun).Seconds()
	return err
}

// inFlight makes so many calls without waiting for replies in between.
func (p *pair) inFlight(n int) error {
	written := make(chan error, 1)
	go func() {
		for range n {
			if _, err := p.in.Write(request); err != nil {
				written <- err
				return
			}
		}
		written <- nil
	}()
	for range n {
		if err := p.reply(); err != nil {
			return err
		}
	}
	return <-written
}

var losses = regexp.MustCompile(`(\d+) records lost in total`)

// bursts ends the pair after a burst, as mcptap says at its end what it lost.
func (p *pair) bursts(n int, s *sample) error {
	err := p.inFlight(n)
	if ended := p.end(); err == nil {
		err = ended
	}
	if lost := losses.FindSubmatch(p.said.Bytes()); lost != nil {
		s.lost, _ = strconv.ParseFloat(string(lost[1]), 64)
	}
	return err
}

func (p *pair) replies(n int, s *sample) error {
	if err := p.warm(largeRequest, 1); err != nil {
		return err
	}
	begun := time.Now()
	if err := p.warm(largeRequest, n); err != nil {
		return err
	}
	s.large = float64(n) * largeBytes / 1e6 / time.Since(begun).Seconds()
	return nil
}
