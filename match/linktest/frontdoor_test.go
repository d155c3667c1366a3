package linktest

import (
	"errors"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/internal/listen"
	"github.com/fogkeep/fogkeep/match/link"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// Before the hello no message of a peer puts off the end.
func TestNothingProlongsTheWaitForTheHello(t *testing.T) {
	w := link.DefaultTimeouts
	w.Hello = 300 * time.Millisecond
	address, hello := newHarness(t, w).address, firstHello(t)
	for name, does := range map[string]func(i int) []byte{
		"nothing":                    func(int) []byte { return nil },
		"pongs":                      func(int) []byte { return whole(opPong, "").bytes() },
		"pings":                      func(int) []byte { return whole(opPing, "x").bytes() },
		"fragments without an end":   func(i int) []byte { return frame{byte(2*min(1, i) ^ 2), []byte{0x0a}}.bytes() },
		"empty fragments":            func(i int) []byte { return frame{byte(2*min(1, i) ^ 2), nil}.bytes() },
		"a frame byte by byte":       func(i int) []byte { return frame{fin | opBinary, hello}.bytes()[i%40 : i%40+1] },
		"a large frame byte by byte": func(i int) []byte { return frame{fin | opBinary, make([]byte, 9000)}.bytes()[i : i+1] },
		"a fragment, then pings": func(i int) []byte {
			if i == 0 {
				return part(opBinary, "\x0a").bytes()
			}
			return whole(opPing, "").bytes()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _ := dialRaw(t, address)
			stop := make(chan struct{})
			var through atomic.Bool // all is sent: that is the cause of a closing from now on
			go func() {
				defer close(stop)
				for i := range 35 { // fewer than are too many
					if _, err := c.Write(does(i)); err != nil {
						return
					}
					time.Sleep(100 * time.Millisecond) // more often than the socket's deadline for the hello
				}
				through.Store(true)
			}()
			said, late := "nothing", false
			for next := c.next(); next != "end"; next = c.next() {
				if strings.HasPrefix(next, "p") { // pings and pongs
					continue
				}
				said, late = said+", "+next, late || through.Load()
			}
			c.Close()
			<-stop
			if said != "nothing, closing no_hello, close 1008" || late {
				t.Errorf("it was told %s, after the last of what it sent: %v", said, late)
			}
		})
	}
}

// A player with a seat is kept as long as there are pongs, and no longer.
func TestPongsKeepASeat(t *testing.T) {
	t.Parallel()
	w := link.DefaultTimeouts
	w.Read = 1500 * time.Millisecond
	a := newHarness(t, w)
	c, _ := dialRaw(t, a.address)
	if err := c.send(0, frame{fin | opBinary, firstHello(t)}); err != nil {
		t.Fatal(err)
	}
	a.until("the player has its seat", a.connected)
	for range 6 {
		time.Sleep(w.Read / 4) // the kernel's clock ends a read: six pongs take longer than it allows
		if err := c.send(0, whole(opPong, "")); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 { // not beside the pongs: a tick that waits for a busy disk would delay them
		a.tick()
	}
	if !a.connected() {
		t.Fatal("it is gone in spite of its pongs")
	}
	a.until("it is gone without pongs", func() bool { return !a.connected() })
	last := ""
	for next := c.next(); next != "end"; next = c.next() {
		if strings.HasPrefix(next, "clos") {
			last += next + ", "
		}
	}
	if last != "closing silent, close 1008, " {
		t.Errorf("it was told %q", last)
	}
}

// Pings and pongs beyond a number end the connection, before the hello and
// after, and are not answered.
func TestControlFramesAreCapped(t *testing.T) {
	t.Parallel()
	a := newHarness(t, link.DefaultTimeouts)
	hello := firstHello(t)
	for _, seated := range []bool{false, true} {
		for name, op := range map[string]byte{"pings": opPing, "pongs": opPong} {
			c, _ := dialRaw(t, a.address)
			if seated {
				if err := c.send(0, frame{fin | opBinary, hello}); err != nil {
					t.Fatal(err)
				}
				welcome := ""
				a.during(func() { welcome = c.next() })
				hello = helloBack(t, []byte(strings.TrimPrefix(welcome, "binary ")))
			}
			go func() {
				for range 20_000 {
					if c.send(0, whole(op, strings.Repeat("x", 125))) != nil {
						return
					}
				}
			}()
			pongs, got := 0, ""
			a.during(func() {
				for next := c.next(); next != "end"; next = c.next() {
					if strings.HasPrefix(next, "pong") {
						pongs++
					}
					if strings.HasPrefix(next, "clos") {
						got += next + ", "
					}
				}
			})
			if got != "closing too_many, close 1008, " || pongs > link.ControlsMax {
				t.Errorf("%s, seated %v: told %q, and %d pongs", name, seated, got, pongs)
			}
		}
	}
}

// helloBack returns the first message of a client that comes back by the token of a welcome.
func helloBack(t *testing.T, welcome []byte) []byte {
	t.Helper()
	var f pb.ServerFrame
	if proto.Unmarshal(welcome, &f) != nil || f.Welcome == nil {
		t.Fatal("no welcome")
	}
	return marshal(t, &pb.ClientFrame{Hello: &pb.Hello{Protocol: wire.Protocol, Resume: f.Welcome.Resume}})
}

func marshal(t *testing.T, f *pb.ClientFrame) []byte {
	t.Helper()
	b, err := proto.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The server reads a peer's messages, of any kind, no faster than the limit.
func TestSocketsAreReadSlowly(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := echoServer(t, listen.Listener(l, nil, nil, false, true))
	c, _ := dialRaw(t, address)
	began := time.Now()
	go func() {
		for c.send(0, frame{fin | opBinary, make([]byte, 8<<10)}) == nil {
		}
	}()
	read := 0
	// A busy machine gets longer until enough was read.
	_ = c.SetReadDeadline(began.Add(60 * time.Second))
	for time.Since(began) < 1500*time.Millisecond || read < link.ReadBurst/2 && time.Since(began) < 60*time.Second {
		if next := c.next(); strings.HasPrefix(next, "binary") {
			read += 8 << 10
		}
	}
	if most := link.ReadBurst + int(time.Since(began).Seconds()+1)*link.ReadBytesPerS; read > most || read < link.ReadBurst/2 {
		t.Errorf("%d bytes were read in %v, at most %d may be", read, time.Since(began), most)
	}
}

// A peer that takes no bytes holds up a writer for a bounded time.
func TestAWriteHasADeadline(t *testing.T) {
	near, far := make(chan *link.Socket, 1), make(chan struct{})
	w := link.DefaultTimeouts
	w.Write = 200 * time.Millisecond
	s := serve(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		sock, err := link.Upgrade(rw, r, nil, w)
		if err != nil {
			t.Error(err)
			return
		}
		near <- sock
		<-far
	}))
	defer s.Close()
	defer close(far)
	c, _ := dialRaw(t, s.Listener.Addr().String())
	if err := c.Conn.(*net.TCPConn).SetReadBuffer(1 << 10); err != nil {
		t.Fatal(err)
	}
	sock := <-near
	defer sock.Close()
	began := time.Now()
	var err error
	defer time.AfterFunc(20*time.Second, func() { sock.Close() }).Stop()
	for err == nil {
		err = sock.Write(make([]byte, 4<<10))
	}
	if link := net.Error(nil); !errors.As(err, &link) || !link.Timeout() {
		t.Errorf("after %v: %v", time.Since(began), err)
	}
}
