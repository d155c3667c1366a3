package match

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/spec"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// speedMatch is a match whose clients ask for speeds.
type speedMatch struct {
	*serviceHarness
	clients []*pipeClient
	frames  []int // that came, by client
	waits   []int // messages that say that the match stands still
	said    []string
}

// newSpeedMatch starts a match with a bot. people is the number of persons.
func newSpeedMatch(t *testing.T, people int, change ...func(*Spec, *Config)) *speedMatch {
	return speedMatchOf(t, people, people, change...)
}

// speedMatchOf is newSpeedMatch with only the first of its people there.
func speedMatchOf(t *testing.T, people, there int, change ...func(*Spec, *Config)) *speedMatch {
	spec := Spec{ID: matchID, Map: flatMap(48), Rules: shipped(t), Seed: 7, EveryTick: true}
	spec.Map.Starts = []grid.Tile{{X: 8, Y: 8}, {X: 38, Y: 38}, {X: 8, Y: 38}, {X: 38, Y: 8}}
	for i := range people + 1 {
		spec.Seats = append(spec.Seats, SeatSpec{Name: fmt.Sprint("player ", i), Team: grid.Team(i), Start: i, Bot: i == people})
	}
	var c Config
	for _, f := range change {
		f(&spec, &c)
	}
	s := &speedMatch{serviceHarness: startServiceHarness(t, spec, c)}
	for i := range there {
		s.add(s.join(grid.Slot(i)))
	}
	return s
}

func (s *speedMatch) add(c *pipeClient) {
	s.clients, s.frames, s.waits = append(s.clients, c), append(s.frames, 0), append(s.waits, 0)
}

// play lets the clock wait n times, a tick's time each, and reads the messages. It waits for writers that fall behind:
// the match would leave out frames, and after 30 seconds of its time end their connections as too slow.
func (s *speedMatch) play(waits int) {
	s.t.Helper()
	for range waits {
		if !s.tick() {
			s.t.Fatal("the match is over")
		}
		for _, st := range s.live.seats.all {
			for st.conn != nil && len(st.conn.Out) >= link.OutboxMessages/2 {
				s.read()
				time.Sleep(20 * time.Microsecond) // a writer needs processor time, and has no event to wait for
			}
		}
		s.read()
	}
}

// read takes in all that has come to the clients, which a writer may still be at.
func (s *speedMatch) read() {
	s.t.Helper()
	for i, c := range s.clients {
		for p := c.pipe.(*link.PipeEnd); len(p.In) > 0; {
			f := c.read()
			switch {
			case f.Waiting != nil:
				s.waits[i]++
			case f.Welcome == nil:
				s.frames[i]++
			}
			for _, l := range f.Said {
				s.said = append(s.said, fmt.Sprintf("%d hears %d: %s", i, l.Slot, l.Text))
			}
			for _, p := range f.Pinged {
				s.said = append(s.said, fmt.Sprintf("%d sees %d point", i, p.Slot))
			}
		}
	}
}

// until plays until it is so.
func (s *speedMatch) until(what string, so func() bool) {
	s.t.Helper()
	for n := range 200 {
		if so() {
			return
		}
		s.play(1)
		// A reader that has taken a message needs processor time to hand it on: on a busy machine more than a few ticks.
		time.Sleep(min(time.Duration(n*n+1)*20*time.Microsecond, 100*time.Millisecond))
		s.read()
	}
	s.t.Fatalf("never: %s", what)
}

func (s *speedMatch) asks(i int, percent uint32, paused bool) {
	s.clients[i].send(&pb.ClientFrame{SetSpeed: &pb.SetSpeed{Percent: percent, Paused: paused}})
}

// told returns the last speed that a client got.
func (s *speedMatch) told(i int) string {
	x := s.clients[i].Speed
	if x == nil {
		return "nothing"
	}
	out := fmt.Sprintf("%d %v by %d left %d", x.Percent, x.Paused, x.By, x.PausesLeft)
	for _, w := range x.Wishes {
		out += fmt.Sprintf(", %d wants %d %v", w.Slot, w.Percent, w.Paused)
	}
	return out
}

func (s *speedMatch) isTold(i int, want string) {
	s.t.Helper()
	s.until(fmt.Sprintf("client %d is told %q", i, want), func() bool { return s.told(i) == want })
}

// ticksIn returns how many ticks are played in so much time.
func (s *speedMatch) ticksIn(d time.Duration) grid.Tick {
	s.t.Helper()
	first, end := s.live.world.Tick(), s.clock.Now().Add(d)
	for s.clock.Now().Before(end) {
		s.play(1)
	}
	return s.live.world.Tick() - first
}

// A faster speed is taken from the budget of ticks, and is not set where there is no room
// for it; the server tells players. A match without players runs at normal speed.
func TestSpeedIsTakenFromTheBudget(t *testing.T) {
	t.Parallel()
	ledger, err := spec.NewLedger("match-ticks.account=40", "match-ticks.reserve=0")
	if err != nil {
		t.Fatal(err)
	}
	s := newSpeedMatch(t, 1, func(spec *Spec, c *Config) { spec.Payer.Account, c.Ledger = "host", ledger })
	held := func(want int64) {
		t.Helper()
		if n := ledger.Held(quota.MatchTicks); n != want {
			t.Errorf("%d ticks a second are held, want %d", n, want)
		}
	}
	s.isTold(0, "nothing")
	s.asks(0, 200, false)
	s.isTold(0, "200 false by 1 left 255")
	held(40)
	s.asks(0, 300, false)
	s.until("it is told that there is no room", func() bool { return slices.Contains(s.said, "0 hears 255: "+noTicks) })
	if got := s.told(0); !strings.HasPrefix(got, "200 false") {
		t.Errorf("it is told %q", got)
	}
	held(40)
	s.asks(0, 50, true)
	s.isTold(0, "50 true by 1 left 255")
	held(20) // of a match that stands still, so that it can go on
	s.asks(0, 200, false)
	s.isTold(0, "200 false by 1 left 255")
	held(40)

	// A lost connection has no effect until the end of the grace time.
	s.clients[0].pipe.Close()
	s.clients = nil
	s.ticksIn(59 * time.Second)
	held(40)
	s.ticksIn(3 * time.Second)
	held(20)
	if n := s.ticksIn(time.Second); n != 20 {
		t.Errorf("%d ticks in a second of a match that nobody plays", n)
	}
}

// A match of bots alone runs at normal speed from its first tick.
func TestBotsPlayAtNormalSpeed(t *testing.T) {
	t.Parallel()
	ledger, err := spec.NewLedger()
	if err != nil {
		t.Fatal(err)
	}
	s := newSpeedMatch(t, 0, func(spec *Spec, c *Config) {
		spec.Seats = append(spec.Seats, SeatSpec{Name: "another bot", Team: 1, Start: 1, Bot: true})
		spec.TickRate, spec.SpeedPercent, c.Ledger = 60, 300, ledger
	})
	s.play(2)
	if n := s.ticksIn(time.Second); n != 60 || ledger.Held(quota.MatchTicks) != 60 {
		t.Errorf("%d ticks in a second, %d are held", n, ledger.Held(quota.MatchTicks))
	}
}

// A single player gets the wished speed at once: that many ticks of the simulation per
// second. A second of match time has the same ticks.
func TestSpeedAlone(t *testing.T) {
	t.Parallel()
	s := newSpeedMatch(t, 1)
	if n := s.ticksIn(time.Second); n != 20 {
		t.Errorf("%d ticks in a second at normal speed", n)
	}
	for _, percent := range []int{50, 150, 200, 300, 100} {
		s.asks(0, uint32(percent), false)
		s.isTold(0, fmt.Sprintf("%d false by 1 left 255", percent))
		s.play(1)
		if n, want := s.ticksIn(2*time.Second), grid.Tick(40*percent/100); n < want || n > want+1 {
			t.Errorf("%d ticks in two seconds at %d %%, want %d", n, percent, want)
		}
		if s.live.world.TickRate() != 20 {
			t.Fatalf("the simulation has %d ticks a second", s.live.world.TickRate())
		}
	}
	for _, percent := range []uint32{0, 99, 1000, 1 << 31} {
		s.asks(0, percent, false)
	}
	s.play(5)
	if s.live.speed.percent != 100 {
		t.Errorf("a speed that there is not was taken: %d", s.live.speed.percent)
	}
}

// A pause stops the ticks alone. The server tells clients once per second that it goes
// on, chat is heard at once and once only, and orders act after it.
func TestPauseStopsTheTicksAlone(t *testing.T) {
	s := newSpeedMatch(t, 1)
	c := s.clients[0]
	s.asks(0, 100, true)
	s.isTold(0, "100 true by 1 left 255")
	s.play(3)
	at := s.live.world.Tick()
	s.until("the last frame comes", func() bool { return c.Replica.Tick == at })
	frames := s.frames[0]
	s.waits[0] = 0
	scout := c.Replica.Entities[grid.Handle(c.mine("scout")[0])].At
	c.order(&pb.Order{Kind: kMove, Units: c.mine("scout"), To: &pb.Point{X: 20 << 10, Y: 20 << 10}})
	c.send(&pb.ClientFrame{Says: []*pb.Say{{Seq: c.Number(), All: true, Text: "a pause"}}})
	s.until("the line is heard", func() bool { return len(s.said) == 1 })
	s.play(20 * 120) // two minutes: a single player may pause for ever
	if s.live.world.Tick() != at || s.frames[0] != frames {
		t.Fatalf("tick %d after %d, %d frames after %d", s.live.world.Tick(), at, s.frames[0], frames)
	}
	// A writer that this test outruns leaves some out.
	if s.waits[0] == 0 || s.waits[0] > 125 {
		t.Errorf("told %d times in two minutes that the match stands still", s.waits[0])
	}
	if got := s.live.info.Load().State; got != "paused" {
		t.Errorf("the list of matches says %q", got)
	}
	s.asks(0, 100, false)
	s.isTold(0, "100 false by 1 left 255")
	s.play(40)
	if c.Replica.Entities[grid.Handle(c.mine("scout")[0])].At == scout || len(c.answers) != 2 || c.answers[0].Code != 0 || c.answers[1].Code != 0 {
		t.Errorf("the order of the pause: answers %v", c.answers)
	}
	if got := strings.Join(s.said, "; "); got != "0 hears 0: a pause" {
		t.Errorf("heard: %s", got)
	}
}

// Of several persons all have to wish the same, soon enough. Bots have no say. One
// person's wish ends a pause.
func TestSpeedByConsent(t *testing.T) {
	t.Parallel()
	s := newSpeedMatch(t, 2)
	s.asks(0, 200, false)
	s.isTold(1, "100 false by 0 left 3, 0 wants 200 false")
	s.asks(1, 300, false) // one question at a time
	s.play(5)
	s.isTold(0, "100 false by 0 left 3, 0 wants 200 false")
	s.asks(1, 100, false) // votes against it
	s.isTold(0, "100 false by 0 left 3")
	s.asks(0, 150, false)
	s.isTold(1, "100 false by 0 left 3, 0 wants 150 false")
	s.asks(0, 200, false) // asks for another
	s.isTold(1, "100 false by 0 left 3, 0 wants 200 false")
	s.play(20*30 + 10)
	s.isTold(1, "100 false by 0 left 3") // it was forgotten
	s.asks(1, 200, false)
	s.isTold(0, "100 false by 0 left 3, 1 wants 200 false")
	s.asks(0, 200, false)
	s.isTold(0, "200 false by 2 left 3")

	s.asks(0, 200, true)
	s.isTold(1, "200 false by 2 left 3, 0 wants 200 true")
	s.asks(1, 200, true)
	s.isTold(1, "200 true by 1 left 3")
	s.isTold(0, "200 true by 1 left 2") // the first to ask has one less
	s.asks(1, 200, false)
	s.isTold(0, "200 false by 2 left 2")
}

// A player who has not come yet has a say like an absent player: no player shall come to
// a match that is three times as fast.
func TestLatecomerHasASay(t *testing.T) {
	s := speedMatchOf(t, 2, 1)
	s.asks(0, 300, false)
	s.isTold(0, "100 false by 0 left 3, 0 wants 300 false")
	s.add(s.join(1))
	s.asks(1, 300, false)
	s.isTold(1, "300 false by 1 left 3")
}

// A pause of several persons ends by itself, and each can ask for a few.
func TestPausesAreFew(t *testing.T) {
	t.Parallel()
	s := newSpeedMatch(t, 2)
	for n := range PausesMax {
		s.asks(0, 100, true)
		s.isTold(1, "100 false by 0 left 3, 0 wants 100 true")
		s.asks(1, 100, true)
		s.isTold(0, fmt.Sprintf("100 true by 1 left %d", PausesMax-1-n))
		began := s.clock.Now()
		s.until("told how long", func() bool { return s.clients[0].Speed.PauseMs > 50_000 })
		for s.live.speed.paused {
			s.play(1)
		}
		if took := s.clock.Now().Sub(began); took < pauseMost-time.Second || took > pauseMost+time.Second {
			t.Fatalf("a pause took %v", took)
		}
		s.isTold(0, fmt.Sprintf("100 false by 0 left %d", PausesMax-1-n))
	}
	s.asks(0, 100, true)
	s.play(20)
	if s.live.speed.vote != nil || s.told(1) != "100 false by 0 left 3" {
		t.Errorf("a fourth pause is asked for: %s", s.told(1))
	}
}

// A client that comes back during a pause, with all its state or without any, sees the
// match as it stands, and the match stands still.
func TestComingBackInAPause(t *testing.T) {
	s := newSpeedMatch(t, 1)
	s.play(20)
	s.asks(0, 100, true)
	s.isTold(0, "100 true by 1 left 255")
	s.play(3)
	at := s.live.world.Tick()
	for _, holds := range []bool{true, false} {
		applied := grid.Tick(0)
		if holds {
			applied = s.clients[0].Tick()
		}
		n := s.connect(&pb.Hello{Resume: s.clients[0].welcome.Resume}, applied)
		if holds {
			n.State = s.clients[0].State
		}
		s.clients[0].pipe.Close()
		s.clients = nil
		s.add(n)
		s.frames, s.waits = []int{0}, []int{0}
		s.asked()
		s.until("it is told of the pause", func() bool { return s.told(0) == "100 true by 1 left 255" && s.waits[0] > 0 })
		if n.Tick() != s.live.world.Tick() || len(n.mine("command-centre")) != 1 || s.live.world.Tick() > at+2 {
			t.Errorf("holds %v: it is at tick %d, the match at %d, the pause was at %d", holds, n.Tick(), s.live.world.Tick(), at)
		}
	}
}

// A match whose only player is gone for good does not stand still for ever.
func TestAPauseEndsWithItsPlayers(t *testing.T) {
	s := newSpeedMatch(t, 1)
	s.asks(0, 100, true)
	s.isTold(0, "100 true by 1 left 255")
	s.clients[0].pipe.Close()
	s.clients = nil
	s.until("it is gone", func() bool { return s.live.seats.all[0].conn == nil })
	for range 20 * 59 {
		s.tick()
	}
	if !s.live.speed.paused {
		t.Fatal("the pause ended while its player could come back")
	}
	for range 20 * 3 {
		s.tick()
	}
	if s.live.speed.paused {
		t.Error("the pause goes on without anybody")
	}
}

// The journal has the speed: the match comes back with it, and paused if it was. The
// journal replays to the same state, whatever the speed.
func TestSpeedSurvivesAKill(t *testing.T) {
	t.Parallel()
	s := newSpeedMatch(t, 1)
	s.asks(0, 300, false)
	s.isTold(0, "300 false by 1 left 255")
	s.play(50)
	s.asks(0, 200, true)
	s.isTold(0, "200 true by 1 left 255")
	s.play(5)
	file := s.killed()
	dir := folder(t, map[string][]byte{matchID: file})
	b := &speedMatch{serviceHarness: s.revived(dir, Config{})}
	if b.live == nil || b.live.speed.percent != 200 || !b.live.speed.paused {
		t.Fatalf("it came back with %+v", b.live)
	}
	straight, _ := straightTo(t, file, b.live.world.Tick())
	if straight.Hash() != b.live.world.Hash() {
		t.Error("it came back with another state")
	}
	n := b.connect(&pb.Hello{Resume: s.clients[0].welcome.Resume}, s.clients[0].Tick())
	n.State = s.clients[0].State
	b.add(n)
	b.asked()
	b.until("it is told of the pause", func() bool { return b.told(0) == "200 true by 1 left 255" && b.waits[0] > 0 })
	at := b.live.world.Tick()
	b.play(60)
	if b.live.world.Tick() != at {
		t.Errorf("tick %d after %d: the pause was forgotten", b.live.world.Tick(), at)
	}
	b.asks(0, 200, false)
	b.until("it goes on", func() bool { return b.live.world.Tick() > at+20 })
	b.end()
	replays(t, dir, matchID)
	speeds := 0
	if _, err := journal.Walk(reading(dir.Path(matchID)), func(_ uint64, r journal.Record, _ *journal.Summary) error {
		if r.Tick != nil {
			for _, in := range r.Tick.Inputs {
				if in.Kind == sim.InputSpeed {
					speeds++
				}
			}
		}
		return nil
	}); err != nil || speeds != 3 {
		t.Errorf("the journal has %d changes of the speed, want 3 (%v)", speeds, err)
	}
}

// A match may begin at another of the valid speeds.
func TestSpeedOfTheSpec(t *testing.T) {
	spec := Spec{ID: matchID, Map: flatMap(48), Rules: shipped(t), SpeedPercent: 200, EveryTick: true, Seats: []SeatSpec{{Name: "a"}, {Name: "b", Team: 1, Start: 1, Bot: true}}}
	s := &speedMatch{serviceHarness: startServiceHarness(t, spec, Config{})}
	s.add(s.join(0))
	s.isTold(0, "200 false by 0 left 255")
	if n := s.ticksIn(time.Second); n < 40 || n > 41 {
		t.Errorf("%d ticks in a second", n)
	}
	spec.SpeedPercent = 120
	if spec.Check() == nil {
		t.Error("a speed that there is not is taken")
	}
}

// The match bounds a client's wishes before they cost anything.
func TestSpeedRequestsAreBounded(t *testing.T) {
	s := newSpeedMatch(t, 2)
	version := s.live.output.feeds.Speed.Version
	for i := range 100 {
		s.asks(0, uint32(spec.Speeds[i%len(spec.Speeds)]), i%2 == 0)
		if i%4 == 3 {
			s.play(1)
		}
	}
	s.play(2)
	if n := s.live.output.feeds.Speed.Version - version; n > asksBurst+3 {
		t.Errorf("everybody was told %d times", n)
	}
	if _, err := wire.DecodeClient([]byte{0x4a, 0, 0x4a, 0}); err == nil {
		t.Error("two wishes in one message are taken")
	}
	// In a pause inputs wait, up to a number.
	p := newSpeedMatch(t, 1)
	p.asks(0, 100, true)
	p.isTold(0, "100 true by 1 left 255")
	c := p.clients[0]
	for range 3 * heldMax {
		c.order(&pb.Order{Kind: kStop, Units: c.mine("scout")})
		p.play(1)
	}
	if n := len(p.live.speed.of[0].queue); n != heldMax {
		t.Errorf("%d inputs wait, at most %d may", n, heldMax)
	}
}
