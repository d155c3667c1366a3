package link

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fogkeep/fogkeep/proto/wire"
)

// stubborn is a connection that takes a random part at once, and the rest when it is flushed.
type stubborn struct {
	mu     sync.Mutex
	random *rand.Rand
	got    []string
	kept   []string
	fails  bool
	panics bool
	now    int // messages that were written without the writer
	closed bool
}

var errStubborn = errors.New("gone")

func (s *stubborn) Read() ([]byte, error) { select {} }

func (s *stubborn) NeverWaits() bool { return true }

func (s *stubborn) WriteNow(msg []byte) (rest bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.panics:
		panic("a bug")
	case s.fails:
		return false, errStubborn
	case len(s.kept) > 0:
		panic("somebody writes past what is kept")
	}
	s.now++
	if s.random.IntN(3) == 0 {
		s.kept = append(s.kept, string(msg))
		return true, nil
	}
	s.got = append(s.got, string(msg))
	return false, nil
}

func (s *stubborn) Flush() error {
	s.mu.Lock()
	wait := time.Duration(s.random.IntN(60)) * time.Millisecond
	s.mu.Unlock()
	time.Sleep(wait) // on the clock of synctest: a slow peer
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got, s.kept = append(s.got, s.kept...), nil
	if s.fails {
		return errStubborn
	}
	return nil
}

func (s *stubborn) Write(msg []byte) error {
	if s.panics {
		panic("a bug")
	}
	if err := s.Flush(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got = append(s.got, string(msg))
	return nil
}

func (s *stubborn) Close() error {
	s.closed = true
	return nil
}

func newStubborn(seed uint64) (*stubborn, *Conn) {
	t := &stubborn{random: rand.New(rand.NewPCG(seed, 5))}
	return t, NewConn(t, wire.ClientFrame{Hello: &wire.Hello{}})
}

// TestMessagesLeaveInOrder: with all writes by the owner and by the writer, messages leave in the order in which
// they were sent, each once, and the owner never waits.
func TestMessagesLeaveInOrder(t *testing.T) {
	for seed := range uint64(50) {
		synctest.Test(t, func(t *testing.T) {
			conn, s := newStubborn(seed)
			// Whether the match is still this process's is not always known at once.
			var mu sync.Mutex
			asked := rand.New(rand.NewPCG(seed, 7))
			s.Owned = func(ctx context.Context) error {
				mu.Lock()
				defer mu.Unlock()
				if asked.IntN(4) == 0 {
					return ctx.Err()
				}
				return nil
			}
			var want []string
			done := make(chan struct{})
			go func() {
				defer close(done)
				s.Write(slog.New(slog.DiscardHandler))
			}()
			random := rand.New(rand.NewPCG(seed, 6))
			for n := range 200 {
				synctest.Wait()
				time.Sleep(time.Duration(random.IntN(80)) * time.Millisecond) // on the clock of synctest
				synctest.Wait()
				if !s.Room() {
					continue
				}
				began := time.Now()
				msg := fmt.Sprint("message ", n)
				want = append(want, msg)
				if buf := append(s.Buffer(), msg...); random.IntN(2) == 0 {
					s.SendFrame(buf, 0)
				} else {
					s.Send(buf)
				}
				if took := time.Since(began); took > 0 {
					t.Fatalf("the owner waited for %v", took)
				}
			}
			last := "the last"
			want = append(want, last)
			s.End("ended", []byte(last))
			<-done
			if !slices.Equal(conn.got, want) {
				t.Fatalf("seed %d: left\n%q, want\n%q", seed, conn.got, want)
			}
			if conn.now == 0 || conn.now == len(want) {
				t.Errorf("seed %d: %d of %d messages were written by the owner: that proves little", seed, conn.now, len(want))
			}
			if !conn.closed {
				t.Error("the connection is still open")
			}
		})
	}
}

// TestFramesWaitForTheirOwner: a frame does not leave while it is not certain that the
// match is still this process's, and never once it is another's.
func TestFramesWaitForTheirOwner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn, s := newStubborn(1)
		answer := make(chan error)
		s.Owned = func(ctx context.Context) error {
			select {
			case err := <-answer:
				return err
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			s.Write(slog.New(slog.DiscardHandler))
		}()
		s.SendFrame([]byte("first"), 1)
		s.SendFrame([]byte("second"), 2)
		s.Send([]byte("no frame"))
		synctest.Wait()
		if len(conn.got) != 0 {
			t.Fatalf("%q left", conn.got)
		}
		answer <- nil
		answer <- errors.New("another has it")
		synctest.Wait()
		time.Sleep(time.Second) // on the clock of synctest
		s.SendFrame([]byte("third"), 3)
		s.Drop()
		<-done
		if want := []string{"first", "no frame"}; !slices.Equal(conn.got, want) {
			t.Errorf("%q left, want %q", conn.got, want)
		}
	})
}

// TestAFailedWriteEndsTheConnection: an error, or a panic, of a write that the owner makes
// ends the connection, by the writer, and nothing else.
func TestAFailedWriteEndsTheConnection(t *testing.T) {
	for _, bug := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			conn, s := newStubborn(1)
			done := make(chan struct{})
			go func() {
				defer close(done)
				s.Write(slog.New(slog.DiscardHandler))
			}()
			conn.fails, conn.panics = !bug, bug
			for range 20 {
				s.Send(append(s.Buffer(), "lost"...))
				synctest.Wait()
				time.Sleep(time.Second) // on the clock of synctest
			}
			if !conn.closed || len(conn.got) != 0 {
				t.Errorf("closed %v, left %q", conn.closed, conn.got)
			}
			s.Drop()
			<-done
		})
	}
}
