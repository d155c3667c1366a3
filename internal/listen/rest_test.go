package listen

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"testing"
	"time"
)

// keeping returns a connection that keeps unsent bytes, and its other end, which
// takes as little as the kernel lets it.
func keeping(t *testing.T) (*Conn, net.Conn) {
	t.Helper()
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := Listener(tcp, nil, nil, false, false)
	defer l.Close()
	far, err := net.Dial("tcp", tcp.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { far.Close() })
	if err := far.(*net.TCPConn).SetReadBuffer(32 << 10); err != nil {
		t.Fatal(err)
	}
	near, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	c := near.(*Conn)
	t.Cleanup(func() { c.Close() })
	if err := c.Conn.(*net.TCPConn).SetWriteBuffer(4 << 10); err != nil {
		t.Fatal(err)
	}
	if !c.KeepRest() {
		t.Fatal("it cannot keep anything")
	}
	return c, far
}

// TestKeptBytesLeaveInOrder: writes return at once though the peer does not read, and all arrive, in order, once it
// reads and a flush comes. Others write meanwhile.
func TestKeptBytesLeaveInOrder(t *testing.T) {
	c, far := keeping(t)
	const pieces = 4000
	write := func(from uint32) {
		for n := range uint32(pieces) {
			if k, err := c.Write(binary.BigEndian.AppendUint32(nil, from+n)); k != 4 || err != nil {
				t.Errorf("%d bytes written, %v", k, err)
				return
			}
		}
	}
	if err := c.SetWriteDeadline(time.Now().Add(-time.Hour)); err != nil { // has no effect
		t.Fatal(err)
	}
	big := bytes.Repeat([]byte{7}, 1<<19)
	begun := time.Now()
	if n, err := c.Write(big); n != len(big) || err != nil {
		t.Fatalf("%d bytes written, %v", n, err)
	}
	if took := time.Since(begun); took > 20*time.Second {
		t.Errorf("a write took %v", took)
	}
	if c.Kept() == 0 {
		t.Fatal("nothing is kept of what nobody reads")
	}
	var running sync.WaitGroup
	running.Go(func() { write(0) })
	running.Go(func() { write(1 << 20) })
	flushed := make(chan error, 1)
	go func() { flushed <- c.Flush(time.Now().Add(60 * time.Second)) }()
	got := make([]byte, len(big)+2*4*pieces)
	_ = far.SetReadDeadline(time.Now().Add(60 * time.Second))
	if _, err := io.ReadFull(far, got[:len(big)]); err != nil || !bytes.Equal(got[:len(big)], big) {
		t.Fatalf("the first write came spoiled, %v", err)
	}
	read := make(chan error, 1)
	go func() {
		_, err := io.ReadFull(far, got[len(big):])
		read <- err
	}()
	running.Wait()
	if err := <-flushed; err != nil {
		t.Fatal(err)
	}
	if err := c.Flush(time.Now().Add(60 * time.Second)); err != nil { // what came after the first flush
		t.Fatal(err)
	}
	if err := <-read; err != nil {
		t.Fatal(err)
	}
	next := map[uint32]uint32{}
	for b := got[len(big):]; len(b) > 0; b = b[4:] {
		n := binary.BigEndian.Uint32(b)
		if who := n >> 20; n&(1<<20-1) != next[who] {
			t.Fatalf("writer %d: %d comes after %d", who, n&(1<<20-1), next[who])
		}
		next[n>>20]++
	}
	if c.Kept() != 0 {
		t.Errorf("%d bytes are still kept", c.Kept())
	}
}

// A flush ends at its deadline, and with it the connection: a peer that does not read holds no one up.
func TestFlushEndsAtItsDeadline(t *testing.T) {
	c, _ := keeping(t)
	if _, err := c.Write(make([]byte, 1<<19)); err != nil {
		t.Fatal(err)
	}
	if err := c.Flush(time.Now().Add(50 * time.Millisecond)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("flush: %v", err)
	}
	if _, err := c.Write([]byte("more")); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a write after it: %v", err)
	}
}

// The kept bytes have a bound.
func TestKeptBytesAreBounded(t *testing.T) {
	c, _ := keeping(t)
	var err error
	written := 0
	for b := make([]byte, 1<<19); err == nil && written < 2*keptMax; written += len(b) {
		_, err = c.Write(b)
	}
	if !errors.Is(err, errKept) || c.Kept() > keptMax {
		t.Errorf("%d bytes are kept of %d, %v", c.Kept(), written, err)
	}
}

// A write to a peer that is gone fails, and so does a flush; neither waits.
func TestKeptBytesOfOneWhoIsGone(t *testing.T) {
	c, far := keeping(t)
	if _, err := c.Write(make([]byte, 1<<19)); err != nil {
		t.Fatal(err)
	}
	far.Close()
	if err := c.Flush(time.Now().Add(60 * time.Second)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("flush: %v", err)
	}
	c.Close()
	if _, err := c.Write([]byte("more")); err == nil {
		t.Error("a write after the end")
	}
}
