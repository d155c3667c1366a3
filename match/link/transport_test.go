package link

import (
	"net"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tcpPair returns two ends of a real connection. The far one takes as little as
// the kernel lets it.
func tcpPair(t *testing.T) (near, far net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	accepted := make(chan net.Conn, 1)
	go func() {
		c, err := l.Accept()
		if err != nil {
			t.Error(err)
		}
		accepted <- c
	}()
	if far, err = net.Dial("tcp", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if near = <-accepted; near == nil {
		t.Fatal("no connection")
	}
	t.Cleanup(func() { near.Close(); far.Close() })
	if err := far.(*net.TCPConn).SetReadBuffer(1 << 10); err != nil {
		t.Fatal(err)
	}
	return near, far
}

// Bytes that a client does not read do not queue up in the kernel for long.
func TestTheKernelHoldsLittle(t *testing.T) {
	near, _ := tcpPair(t)
	boundKernel(near)
	msg, held := make([]byte, 200), 0
	for held < 1<<22 {
		if err := near.SetWriteDeadline(time.Now().Add(100 * time.Millisecond)); err != nil {
			t.Fatal(err)
		}
		n, err := near.Write(msg)
		held += n
		if err != nil {
			break
		}
	}
	if most := 8 * kernelBytes; held > most {
		t.Errorf("%d bytes are held for a peer that reads nothing, at most %d are fine", held, most)
	}
	t.Logf("%d bytes are held", held)
}
