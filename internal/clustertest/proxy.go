package clustertest

import (
	"io"
	"net"
	"sync"
	"time"
)

// Proxy is a TCP address that leads to another one, and that can be cut.
type Proxy struct {
	Addr string // where it listens
	To   string

	listener net.Listener
	wait     sync.WaitGroup

	mu    sync.Mutex
	line  Line
	delay time.Duration
	free  chan struct{} // closed while bytes may pass
	conns map[net.Conn]bool
}

// Line is what a proxy does to its connections.
type Line int

// The states of a line.
const (
	Open   Line = iota // carries
	Cut                // hangs up on all, and on whoever calls
	Silent             // carries nothing and closes nothing, as a network does that loses all packets
)

// NewProxy listens at an address.
func NewProxy(addr, to string) (*Proxy, error) {
	l, err := net.Listen("tcp4", addr)
	if err != nil {
		return nil, err
	}
	free := make(chan struct{})
	close(free)
	p := &Proxy{Addr: addr, To: to, listener: l, free: free, conns: map[net.Conn]bool{}}
	p.wait.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			p.wait.Go(func() { p.carry(c) })
		}
	})
	return p, nil
}

// Set changes the line, for the connections that there are and for new ones.
func (p *Proxy) Set(line Line) {
	p.mu.Lock()
	defer p.mu.Unlock()
	was := p.line
	if p.line = line; was == line {
		return
	}
	if line == Silent {
		p.free = make(chan struct{})
	} else if was == Silent {
		close(p.free)
	}
	if line == Cut {
		for c := range p.conns {
			c.Close()
		}
	}
}

// Delay makes everything take longer by d, in each direction.
func (p *Proxy) Delay(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.delay = d
}

// Close ends the proxy and its connections.
func (p *Proxy) Close() {
	p.listener.Close()
	p.Set(Cut)
	p.wait.Wait()
}

// keep notes a connection, to be closed when the line is cut. It reports false if it is.
func (p *Proxy) keep(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.line != Cut {
		p.conns[c] = true
	}
	return p.line != Cut
}

func (p *Proxy) drop(c net.Conn) {
	c.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, c)
}

func (p *Proxy) carry(c net.Conn) {
	defer p.drop(c)
	if !p.keep(c) {
		return
	}
	p.pass()
	to, err := net.Dial("tcp4", p.To)
	if err != nil {
		return
	}
	defer p.drop(to)
	if !p.keep(to) {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.copy(to, c)
		to.Close()
	}()
	p.copy(c, to)
	c.Close()
	<-done
}

// copy carries one direction. Bytes that it read before the line fell silent arrive
// once the line speaks again, as with TCP.
func (p *Proxy) copy(to io.Writer, from io.Reader) {
	type chunk struct {
		due time.Time
		b   []byte
	}
	chunks, written := make(chan chunk, 1024), make(chan struct{})
	defer func() {
		close(chunks)
		<-written
	}()
	go func() {
		defer close(written)
		broken := false
		for c := range chunks {
			if broken {
				continue // the reader ends when its connection is closed
			}
			time.Sleep(time.Until(c.due))
			p.pass()
			_, err := to.Write(c.b)
			broken = err != nil
		}
	}()
	for {
		b := make([]byte, 32<<10)
		n, err := from.Read(b)
		if n > 0 {
			p.mu.Lock()
			d := p.delay
			p.mu.Unlock()
			chunks <- chunk{time.Now().Add(d), b[:n]}
		}
		if err != nil {
			return
		}
	}
}

// pass waits until the line carries something, or is cut.
func (p *Proxy) pass() {
	p.mu.Lock()
	free := p.free
	p.mu.Unlock()
	<-free
}
