package clustertest

import (
	"bufio"
	"io"
	"math"
	"net"
	"testing"
	"time"
)

// echo answers each line with itself.
func echo(t *testing.T, addr string) {
	t.Helper()
	l, err := net.Listen("tcp4", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				_, _ = io.Copy(c, c)
			}()
		}
	}()
}

func TestProxy(t *testing.T) {
	var ports Ports
	defer ports.Close()
	addr := func() string {
		a, err := ports.Next()
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	to := addr()
	echo(t, to)
	p, err := NewProxy(addr(), to)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	var c net.Conn
	var lines *bufio.Reader
	dial := func() {
		t.Helper()
		if c, err = net.Dial("tcp4", p.Addr); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		lines = bufio.NewReader(c)
	}
	say := func() {
		t.Helper()
		if _, err := io.WriteString(c, "hello\n"); err != nil {
			t.Fatal(err)
		}
	}
	hear := func(within time.Duration) error {
		_ = c.SetReadDeadline(time.Now().Add(within))
		_, err := lines.ReadString('\n')
		return err
	}
	dial()
	say()
	if err := hear(30 * time.Second); err != nil {
		t.Fatal(err)
	}
	p.Set(Silent)
	say()
	if err := hear(100 * time.Millisecond); err == nil {
		t.Error("a silent line speaks")
	}
	p.Set(Open)
	if err := hear(30 * time.Second); err != nil {
		t.Errorf("what was said while the line was silent: %v", err)
	}
	p.Delay(100 * time.Millisecond)
	began := time.Now()
	say()
	if err := hear(30 * time.Second); err != nil || time.Since(began) < 200*time.Millisecond {
		t.Errorf("there and back with a delay of 100 ms: %v, %v", time.Since(began), err)
	}
	p.Delay(0)
	p.Set(Cut)
	if err := hear(30 * time.Second); err == nil || isTimeout(err) {
		t.Errorf("over a line that was cut: %v", err)
	}
	dial()
	if err := hear(30 * time.Second); err == nil || isTimeout(err) {
		t.Errorf("who calls while the line is cut hears %v", err)
	}
	p.Set(Open)
	dial()
	say()
	if err := hear(30 * time.Second); err != nil {
		t.Error(err)
	}
}

func isTimeout(err error) bool {
	e, ok := err.(net.Error)
	return ok && e.Timeout()
}

// Two users of the package never have the same port.
func TestPorts(t *testing.T) {
	var a, b Ports
	defer a.Close()
	defer b.Close()
	seen := map[string]bool{}
	for i := range 200 {
		p := &a
		if i%2 == 0 {
			p = &b
		}
		addr, err := p.Pair()
		if err != nil || seen[addr] {
			t.Fatalf("%s, %v", addr, err)
		}
		seen[addr] = true
		host, port, _ := net.SplitHostPort(addr)
		n, err := net.LookupPort("tcp", port)
		if err != nil || n < portMin || n >= portMax || seen[net.JoinHostPort(host, "0")] {
			t.Errorf("port %s", port)
		}
		if l, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: n + 1}); err == nil {
			l.Close()
			t.Errorf("the second port of %s is not locked", addr)
		}
	}
}

func TestHistogram(t *testing.T) {
	h := Histogram{1: 10, 2: 90, 4: 100, math.Inf(1): 100}
	for percent, want := range map[float64]float64{5: .5, 50: 1.5, 95: 3, 100: 4} {
		if got := h.Percentile(percent); math.Abs(got-want) > 1e-9 {
			t.Errorf("percentile %v is %v, want %v", percent, got, want)
		}
	}
	if got := (Histogram{1: 0, 2: 0, math.Inf(1): 5}).Percentile(99); got != 2 {
		t.Errorf("beyond the last bound: %v", got)
	}
	if got := h.Since(Histogram{1: 10, 2: 10, 4: 10, math.Inf(1): 10}).Percentile(50); got <= 1 || got >= 2 {
		t.Errorf("since: %v", got)
	}
}
