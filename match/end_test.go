package match

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal/journaltest"
	"github.com/fogkeep/fogkeep/match/link"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// rights is an Admitter with epochs and seats that end, as a lobby has them. It
// takes its time between a look and its answer.
type rights struct {
	mu    sync.Mutex
	epoch map[string]int64
	out   map[string]bool // account, or account and match
}

func (r *rights) may(seat Seat) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.out[seat.Account] || r.out[seat.Account+seat.Match]:
		return &link.Refusal{Code: "kicked", Text: "out"}
	case r.epoch[seat.Account] != seat.Epoch:
		return errLoggedOut
	}
	return nil
}

func (r *rights) Redeem(_ context.Context, ticket string, _ netip.Addr) (s Seat, err error) {
	var slot, watch int
	if n, _ := fmt.Sscanf(ticket, "%s %s %d %d %d", &s.Match, &s.Account, &s.Epoch, &slot, &watch); n != 5 {
		return s, &link.Refusal{Code: "bad_ticket", Text: "no such ticket"}
	}
	if s.Slot = grid.Slot(slot); watch == 1 {
		s.Slot, s.Spectator, s.Eyes = grid.NoSlot, true, grid.NoTeam
		s.Delay = time.Duration(s.Account[len(s.Account)-1]%3) * 500 * time.Millisecond // some live, others late
	}
	err = r.may(s)
	time.Sleep(rand.N(300 * time.Millisecond)) // a slow database: rights end meanwhile
	return s, err
}

func (r *rights) Resume(_ context.Context, s Seat, _ netip.Addr) error {
	err := r.may(s)
	time.Sleep(rand.N(300 * time.Millisecond)) // a slow database: rights end meanwhile
	return err
}

func (r *rights) Release(context.Context, Seat, *link.Refusal) {}

// end ends an account's rights, as of now, and returns the epoch that still opens seats.
func (r *rights) end(account, match string, forGood bool) (epoch int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if match == "" {
		r.epoch[account]++
		epoch = r.epoch[account]
	}
	if forGood {
		r.out[account+match] = true
	}
	return epoch
}

// heardFrame is a frame to a client, and the client's right.
type heardFrame struct {
	account, match string
	epoch          int64
	at             time.Time
}

// endedAt is an end, and the frames that must be absent a second later.
type endedAt struct {
	account, match string // match "": all
	epoch          int64  // rights before it; 0: all
	at             time.Time
}

// TestNothingAfterTheEnd: players, live and late spectators of several matches come and
// go, with new tickets, with the newest resume token and with old ones, while their
// accounts are logged out, kicked and made to leave in any order. A second after an end
// no socket of an ended right gets a message of a match, and a player who is still
// entitled comes back.
func TestNothingAfterTheEnd(t *testing.T) {
	synctest.Test(t, nothingAfterTheEnd) // lateness is the match's, not a busy machine's
}

func nothingAfterTheEnd(t *testing.T) {
	const accounts, matches = 16, 3
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	dir := journaltest.OpenDir(t)
	door := &rights{epoch: map[string]int64{}, out: map[string]bool{}}
	s := New(Config{Clock: bubbleClock{}, Journals: dir, Admitter: door, Reporter: &clerk{results: make(chan Result, matches)}})
	defer s.Close()
	id := func(m int) string { return fmt.Sprintf("0190f000-0000-7000-8000-%012d", m) }
	name := func(a int) string { return fmt.Sprint("account", a) }
	for m := range matches {
		spec := Spec{ID: id(m), Map: flatMap(48), Rules: shipped(t), Seed: 7, EveryTick: true, Spectators: accounts}
		for i := range 3 { // one player never comes, so that the match goes on
			spec.Seats = append(spec.Seats, SeatSpec{Name: fmt.Sprint(i), Team: grid.Team(i), Start: i})
			if i < 2 {
				spec.Seats[i].Account = name((m*2 + i) % accounts)
			}
		}
		if err := s.Start(spec); err != nil {
			t.Fatal(err)
		}
	}

	var mu sync.Mutex
	var frames []heardFrame
	var ends []endedAt
	stop := make(chan struct{})
	var clients sync.WaitGroup
	for a := range accounts {
		for n := range 1 {
			clients.Go(func() {
				rng := rand.New(rand.NewPCG(seed, uint64(a*2+n)))
				tokens := map[string]int64{} // and their epochs
				for {
					select {
					case <-stop:
						return
					default:
					}
					h, token := visit(t, s, door, rng, name(a), id(rng.IntN(matches)), a, tokens, stop)
					for t, e := range token {
						tokens[t] = e
					}
					mu.Lock()
					frames = append(frames, h...)
					mu.Unlock()
				}
			})
		}
	}
	var enders sync.WaitGroup
	// A busy machine gets longer until there is enough to judge.
	enough := func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(frames) >= 200 && len(ends) >= 15
	}
	for n := range 4 {
		enders.Go(func() {
			rng := rand.New(rand.NewPCG(seed, 99+uint64(n)))
			// Rights end at times that no client can foresee.
			for begin := time.Now(); time.Since(begin) < 2*time.Second || !enough() && time.Since(begin) < 20*time.Second; time.Sleep(time.Duration(rng.Int64N(int64(100 * time.Millisecond)))) {
				e := Ending{Why: *errLoggedOut}
				a := rng.IntN(accounts)
				account := name(a)
				how := rng.IntN(20)
				if a%4 == 0 {
					how = 20 // these always may come back: a player is there to the end
				}
				switch how {
				case 0:
					e.ForGood, e.Why = true, link.Refusal{Code: "kicked", Text: "out"}
				case 1, 2:
					e.ForGood, e.Match, e.Why = true, id(rng.IntN(matches)), link.Refusal{Code: "not_seated", Text: "you left"}
				}
				e.Epoch = door.end(account, e.Match, e.ForGood)
				if err := s.End(t.Context(), account, e); err != nil {
					t.Error(err)
				}
				x := endedAt{account: account, match: e.Match, at: time.Now()}
				if !e.ForGood {
					x.epoch = e.Epoch
				}
				mu.Lock()
				ends = append(ends, x)
				mu.Unlock()
			}
		})
	}
	enders.Wait()
	// Players who may still come back get frames more than a second after the last end.
	// Frames count when their visit is over.
	lastEnd := time.Now()
	heardSince := func() bool {
		mu.Lock()
		defer mu.Unlock()
		return slices.ContainsFunc(frames, func(f heardFrame) bool { return f.at.Sub(lastEnd) > time.Second })
	}
	for time.Since(lastEnd) < 2*time.Second || !heardSince() && time.Since(lastEnd) < 20*time.Second {
		time.Sleep(50 * time.Millisecond) // two seconds without a message for an ended right
	}
	close(stop)
	clients.Wait()
	late := 0
	for _, f := range frames {
		for _, e := range ends {
			if f.account == e.account && (e.match == "" || e.match == f.match) && (e.epoch == 0 || f.epoch < e.epoch) && f.at.Sub(e.at) > time.Second {
				if late++; late < 5 {
					t.Errorf("%s hears of match %s by a right of epoch %d, %v after %+v", f.account, f.match, f.epoch, f.at.Sub(e.at), e)
				}
			}
		}
	}
	if len(frames) < 200 || len(ends) < 15 || !heardSince() {
		t.Errorf("%d frames and %d ends: that proves little", len(frames), len(ends))
	}
	t.Logf("%d frames, %d ends", len(frames), len(ends))
}

// visit connects once, by a ticket or a token, stays for a while and returns the
// messages.
func visit(t *testing.T, s *Service, door *rights, rng *rand.Rand, account, match string, a int, tokens map[string]int64, stop <-chan struct{}) (heard []heardFrame, got map[string]int64) {
	door.mu.Lock()
	epoch := door.epoch[account]
	door.mu.Unlock()
	hello := &pb.Hello{Protocol: wire.Protocol}
	slot, watch := 0, 1
	for i := range 2 {
		if m := s.find(match); m != nil && m.spec.Seats[i].Account == account {
			slot, watch = i, 0
		}
	}
	hello.Ticket = fmt.Sprintf("%s %s %d %d %d", match, account, epoch, slot, watch)
	if len(tokens) > 0 && rng.IntN(2) == 0 {
		n := rng.IntN(len(tokens))
		for token, e := range tokens {
			if n--; n < 0 {
				hello.Ticket, hello.Resume, epoch = "", token, e
				break
			}
		}
		if seat, ok := s.seatOf(hello.Resume); ok {
			match = seat.Match
		}
	}
	near, far := link.Pipe()
	served := make(chan struct{})
	go func() {
		defer close(served)
		s.Serve(far)
	}()
	defer func() { near.Close(); <-served }()
	b, err := proto.Marshal(&pb.ClientFrame{Hello: hello})
	if err != nil || near.Write(b) != nil {
		return nil, nil
	}
	got = map[string]int64{}
	leave := time.AfterFunc(time.Duration(rng.Int64N(int64(3*time.Second))), func() { near.Close() })
	defer leave.Stop()
	for {
		b, err := near.Read()
		select {
		case <-stop:
			return heard, got
		default:
		}
		if err != nil {
			return heard, got
		}
		var f pb.ServerFrame
		if err := proto.Unmarshal(b, &f); err != nil {
			t.Error(err)
			return heard, got
		}
		switch {
		case f.Closing != nil:
		case f.Welcome != nil:
			got[f.Welcome.Resume] = epoch
			fallthrough
		default:
			heard = append(heard, heardFrame{account, match, epoch, time.Now()})
			if f.Tick%4 == 0 && near.Write(mustMarshal(&pb.ClientFrame{Applied: f.Tick})) != nil {
				return heard, got
			}
		}
	}
}

func mustMarshal(f *pb.ClientFrame) []byte {
	b, err := proto.Marshal(f)
	if err != nil {
		panic(err)
	}
	return b
}

// A resume token is void once its successor was used, or a frame of the
// connection that brought it was applied; not before, since the welcome that
// brought it may be lost. That holds after a restart.
func TestResumeTokensRotate(t *testing.T) {
	t.Parallel()
	a := newServiceHarness(t, 48, 0, 1)
	other := a.join(1)
	_ = other
	first := a.join(0)
	cut := func(c *pipeClient) {
		c.pipe.Close()
		a.until(func() bool { return !a.service.Matches()[0].Seats[0].Connected })
	}
	opens := func(token string, acks bool) *pipeClient {
		t.Helper()
		c := a.connect(&pb.Hello{Resume: token}, 0)
		c.silent = !acks
		a.welcomed(c)
		return c
	}
	refused := func(token string) {
		t.Helper()
		if code := a.closed(a.connect(&pb.Hello{Resume: token}, 0)); code != "bad_token" {
			t.Errorf("an old token is answered %q", code)
		}
	}
	one := first.welcome.Resume
	cut(first)
	lost := opens(one, false) // its welcome is lost
	cut(lost)
	second := opens(one, false)
	two := second.welcome.Resume
	if two == one || two == lost.welcome.Resume {
		t.Fatal("a welcome brings a token that was there before")
	}
	cut(second)
	third := opens(two, true)
	refused(one)
	refused(lost.welcome.Resume)
	a.until(func() bool { return a.service.Matches()[0].Seats[0].Connected })
	for third.acked == 0 { // it acknowledges every eighth tick
		a.tick()
		third.read()
	}
	for range 3 {
		a.tick()
	}
	refused(two)
	three := third.welcome.Resume

	file := a.killed()
	a.end()
	a = a.revived(folder(t, map[string][]byte{matchID: file}), Config{})
	for _, old := range []string{one, lost.welcome.Resume, two} {
		refused(old)
	}
	back := a.connect(&pb.Hello{Resume: three}, 0)
	a.asked()
	a.tick()
	back.read() // the match still stands
	if back.welcome.Resume == three {
		t.Error("no new token")
	}
}
