package match

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/link"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// faulty is a transport that panics on request.
type faulty struct {
	link.Transport
	read, write atomic.Bool
}

func (f *faulty) Read() ([]byte, error) {
	b, err := f.Transport.Read()
	if f.read.Load() {
		panic("planted in a reader")
	}
	return b, err
}

func (f *faulty) Write(b []byte) error {
	if f.write.Load() {
		panic("planted in a writer")
	}
	return f.Transport.Write(b)
}

// connectOver is connect over a transport that may fail.
func (a *serviceHarness) connectOver(f *faulty, near link.Transport, hello *pb.Hello) *pipeClient {
	c := a.client(near, hello.DerivesFog)
	go func() {
		defer close(c.served)
		a.service.Serve(f)
	}()
	a.clients = append(a.clients, c)
	hello.Protocol = wire.Protocol
	c.send(&pb.ClientFrame{Hello: hello})
	return c
}

// A panic in the reader or the writer of a socket ends this socket. The match,
// the other player and the seat's right to come back are as before.
func TestAPanicEndsOneSocket(t *testing.T) {
	a := newServiceHarness(t, 48, 0, 1)
	other := a.join(1)

	near, far := link.Pipe()
	early := &faulty{Transport: far}
	early.read.Store(true)
	c := a.connectOver(early, near, &pb.Hello{Ticket: ticketFor(0)})
	<-c.served

	for _, spoil := range []func(*faulty){
		func(f *faulty) { f.read.Store(true) },
		func(f *faulty) { f.write.Store(true) },
	} {
		near, far := link.Pipe()
		f := &faulty{Transport: far}
		c := a.connectOver(f, near, &pb.Hello{Ticket: ticketFor(0)})
		a.welcomed(c)
		spoil(f)
		_ = near.Write([]byte{0x10, 1}) // its reader has a message to read
		a.until(func() bool { return !a.service.Matches()[0].Seats[0].Connected })
		<-c.served
		back := a.connect(&pb.Hello{Resume: c.welcome.Resume}, 0)
		a.welcomed(back)
		back.pipe.Close()
		a.until(func() bool { return !a.service.Matches()[0].Seats[0].Connected })
	}
	before := a.service.Matches()[0].Tick
	a.until(func() bool { return a.service.Matches()[0].Tick > before })
	if in := a.service.Matches()[0]; in.State != "running" || !in.Seats[1].Connected {
		t.Errorf("the match is %s, the other player there: %v", in.State, in.Seats[1].Connected)
	}
	other.read()
}

// slowJournals makes a journal on request.
type slowJournals struct {
	*journal.Dir
	asked   chan string
	proceed chan struct{}
	created atomic.Int32
}

func (j *slowJournals) Create(match string) (journal.Log, error) {
	j.created.Add(1)
	j.asked <- match
	<-j.proceed
	return j.Dir.Create(match)
}

// While a match is made, others are found and started; starts of one id make one
// match.
func TestStartHoldsUpNobody(t *testing.T) {
	t.Parallel()
	a := newServiceHarness(t, 48, 0, 1)
	slow := &slowJournals{Dir: a.dir, asked: make(chan string, 4), proceed: make(chan struct{})}
	a.service.cfg.Journals = slow
	spec := a.spec
	spec.ID = matchID[:len(matchID)-1] + "2"
	done := make(chan error, 3)
	for range 3 {
		go func() { done <- a.service.Start(spec) }()
	}
	<-slow.asked
	// The match service is asked things meanwhile.
	answered := make(chan int)
	go func() { answered <- len(a.service.Matches()) }()
	select {
	case n := <-answered:
		if n != 1 {
			t.Errorf("%d matches", n)
		}
	case <-time.After(60 * time.Second):
		t.Error("the service answers nothing while it makes a match")
	}
	time.Sleep(20 * time.Millisecond) // for the other two starts: no event tells that they wait
	close(slow.proceed)
	for range 3 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if n := slow.created.Load(); n != 1 {
		t.Errorf("%d journals for one match", n)
	}
	if a.service.find(spec.ID) == nil {
		t.Error("the match does not run")
	}
}
