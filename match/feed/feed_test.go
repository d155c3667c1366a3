package feed

import (
	"bytes"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/sim/simtest"
	"github.com/fogkeep/fogkeep/match/view"
	"github.com/fogkeep/fogkeep/orders"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// uncounted is a meter and a counter that do not count.
type uncounted struct{}

func (uncounted) Skipped()                     {}
func (uncounted) Incomplete()                  {}
func (uncounted) Frame(int, *wire.Sizes, bool) {}
func (uncounted) Message([]byte)               {}

// scene is a world of one player against another, without arms.
type scene struct {
	t     *testing.T
	rules rules.Ruleset
	world *sim.World
	cache *view.Cache
}

func newScene(t *testing.T) *scene {
	t.Helper()
	shipped, err := rules.Shipped("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	s := &scene{t: t, rules: *shipped}
	s.rules.Types = slices.Clone(s.rules.Types)
	for i := range s.rules.Types {
		s.rules.Types[i].Weapons = nil
	}
	m := grid.NewMap("flat", 96, 96)
	m.Starts = []grid.Tile{{X: 10, Y: 85}, {X: 85, Y: 10}}
	s.world, err = sim.New(sim.Setup{Map: m, Rules: &s.rules, Seed: 1, TickRate: 20, Players: []sim.Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	s.cache = view.NewCache(s.world)
	return s
}

// match returns the scene's Match for feeds, by the present rules.
func (s *scene) match() *Match {
	m := NewMatch(s.world.Map(), &s.rules, 2)
	m.TickRate, m.EveryTick, m.Counter = 20, true, uncounted{}
	return m
}

func (s *scene) add(slot grid.Slot, name string, at grid.Tile) *sim.Entity {
	s.t.Helper()
	typ, _ := s.rules.TypeByName(name)
	e := simtest.Edit(s.world).Add(slot, typ, at.Center())
	if e == nil {
		s.t.Fatalf("no room for a %s at %v", name, at)
	}
	return e
}

// step plays a tick and shows it to the feed.
func (s *scene) step(f *Feed) {
	s.world.Step(nil)
	s.cache.Prepare(s.world)
	f.Look(Source{World: s.world, Cache: s.cache})
}

// receive begins a client.
func receive(f *Feed, slot grid.Slot, team grid.Team, derivesFog bool) *Receiver {
	r := NewReceiver(link.NewConn(nil, wire.ClientFrame{Hello: &wire.Hello{DerivesFog: derivesFog}}))
	r.Slot, r.Team, r.Backlog, r.Meter = slot, team, &Backlog{}, uncounted{}
	f.Begin(r)
	return r
}

// TestClientsShareAnEncoding counts the encodings of a tick. Clients with the same
// eyes that come from the same tick share one, and are sent the same bytes; one
// that comes from another tick, or wants other rows of the mask, has its own.
func TestClientsShareAnEncoding(t *testing.T) {
	for _, c := range []struct {
		name string
		feed func(*Match) *Feed
		slot grid.Slot
		team grid.Team
	}{
		{"players", (*Match).ForPlayers, 0, 0},
		{"spectators", (*Match).ForSpectators, grid.NoSlot, grid.NoTeam},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScene(t)
			f := c.feed(s.match())
			var alike []*Receiver
			for range 5 {
				alike = append(alike, receive(f, c.slot, c.team, true))
			}
			slow, other := receive(f, c.slot, c.team, true), receive(f, c.slot, c.team, false)
			worker := s.add(0, "worker", grid.Tile{X: 40, Y: 40})
			for tick := range 12 {
				simtest.Edit(s.world).SetHealth(worker, int32(10+tick))
				s.step(f)
				var sent [][]byte
				for _, r := range alike {
					f.Send(r)
					sent = append(sent, <-r.Out)
				}
				if n := len(f.eyes[0].shared); len(f.eyes) != 1 || n != 1 {
					t.Fatalf("tick %d: %d encodings for %d clients alike", tick, n, len(alike))
				}
				for _, b := range sent {
					if !bytes.Equal(b, sent[0]) {
						t.Fatalf("tick %d: sent %x and %x to two who are alike", tick, b, sent[0])
					}
				}
				f.Send(other)
				<-other.Out
				want := 2
				if tick%3 == 0 {
					f.Send(slow)
					<-slow.Out
					if tick > 0 { // in the first tick all begin with the snapshot
						want++
					}
				}
				if n := len(f.eyes[0].shared); n != want {
					t.Fatalf("tick %d: %d encodings, want %d", tick, n, want)
				}
			}
		})
	}
}

// TestNarrowLinkIsSentWhatMatters plays two crowds that are hit in every tick, one
// where the camera of a client looks, to a link of 28.8 kbit/s. In both, types with
// four times the weight are sent about four times as often, and so is the crowd in the
// picture.
func TestNarrowLinkIsSentWhatMatters(t *testing.T) {
	s := newScene(t)
	places := [2]grid.Tile{{X: 30, Y: 30}, {X: 60, Y: 60}}
	names := [2]string{"detector", "worker"}
	for i, name := range names {
		typ, _ := s.rules.TypeByName(name)
		s.rules.Types[typ].Priority = []uint8{199, 49}[i]
	}
	var hit []*sim.Entity
	for _, at := range places {
		s.add(0, "detector", at)
		for n := range int16(11 * 11) {
			if x, y := n%11-5, n/11-5; x != 0 || y != 0 {
				hit = append(hit, s.add(1, names[n%2], grid.Tile{X: at.X + x, Y: at.Y + y}))
			}
		}
	}
	m := s.match()
	m.BytesPerS = 28_800 / 8
	f := m.ForPlayers()
	r := receive(f, 0, 0, true)
	var told [2][2]float64 // by place and type, rows a unit
	const begin, end = 60, 360
	for tick := range end {
		for i, e := range hit {
			simtest.Edit(s.world).SetHealth(e, int32(10+(tick+i)%20))
		}
		s.step(f)
		f.Take(r, &wire.ClientFrame{Applied: r.Sent(), Camera: &wire.Camera{At: places[0], Radius: 12}})
		f.Send(r)
		<-r.Out
		if tick < begin {
			continue
		}
		if !r.Incomplete() {
			t.Fatalf("tick %d: the client lacks nothing", tick)
		}
		for _, row := range f.eyes[0].diff.Values[view.ValueHealth] {
			at, _ := s.world.Knowledge(0).Sighted(row.Handle)
			u := s.world.Entity(at.ID)
			place, typ := 0, slices.Index(names[:], s.rules.Types[u.Type()].Name)
			if u.Tile().X > 45 {
				place = 1
			}
			told[place][typ]++
		}
	}
	for _, c := range []struct {
		what      string
		more, not float64
	}{
		{"near, by priority", told[0][0], told[0][1]},
		{"far, by priority", told[1][0], told[1][1]},
		{"of high priority, by nearness", told[0][0], told[1][0]},
		{"of low priority, by nearness", told[0][1], told[1][1]},
	} {
		if ratio := c.more / c.not; !(ratio > 2.5 && ratio < 6) {
			t.Errorf("%s: %.0f rows and %.0f, %.1f times as many, want about 4", c.what, c.more, c.not, ratio)
		}
	}
}

// TestABudgetThatIsSetLaterGivesNoBurst: a client without a budget is given one
// while its match runs, then a smaller one, then a larger one. From the first tick on it is sent no
// more than the budget and half a second's worth, and a spectator, whose frames are never cut,
// soon gets frames again. Each is told of each budget once.
func TestABudgetThatIsSetLaterGivesNoBurst(t *testing.T) {
	for _, c := range []struct {
		name string
		feed func(*Match) *Feed
		slot grid.Slot
		team grid.Team
	}{
		{"players", (*Match).ForPlayers, 0, 0},
		{"spectators", (*Match).ForSpectators, grid.NoSlot, grid.NoTeam},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScene(t)
			at := grid.Tile{X: 40, Y: 40}
			s.add(0, "detector", at)
			var hit []*sim.Entity
			for n := range int16(9 * 9) {
				if n != 40 {
					hit = append(hit, s.add(1, "worker", grid.Tile{X: at.X + n%9 - 4, Y: at.Y + n/9 - 4}))
				}
			}
			m := s.match()
			f := c.feed(m)
			r := receive(f, c.slot, c.team, true)
			decode := func(b []byte) *pb.ServerFrame {
				var frame pb.ServerFrame
				if err := proto.Unmarshal(b, &frame); err != nil {
					t.Fatal(err)
				}
				return &frame
			}
			play := func(ticks int) (sent, frames int, told []uint32) {
				for range ticks {
					for i, e := range hit {
						simtest.Edit(s.world).SetHealth(e, int32(10+(int(s.world.Tick())+i)%20))
					}
					s.step(f)
					f.Take(r, &wire.ClientFrame{Applied: r.Sent()})
					f.Send(r)
					for len(r.Out) > 0 {
						b := <-r.Out
						sent, frames = sent+len(b), frames+1
						if x := decode(b).Budget; x != nil {
							told = append(told, x.BytesPerS)
						}
					}
				}
				return sent, frames, told
			}
			if sent, _, told := play(60); sent < 3*3000 || told != nil {
				t.Fatalf("%d bytes in three seconds without a budget, told of %v", sent, told)
			}
			for _, n := range []int{2000, 1000, 3000} {
				m.BytesPerS = n
				first, _, told := play(10) // half a second
				rest, frames, _ := play(90)
				if !slices.Equal(told, []uint32{uint32(n)}) {
					t.Errorf("budget of %d: told %v", n, told)
				}
				// One whole frame of a spectator may be more than it has saved up.
				if most := n; first > most || first+rest > 5*n+n/2 {
					t.Errorf("budget of %d: %d bytes in the first half second, %d in the next four and a half", n, first, rest)
				}
				if first+rest < 3*n || frames < 5 {
					t.Errorf("budget of %d: %d bytes in %d frames, in five seconds", n, first+rest, frames)
				}
			}
			r.BytesPerS = 512 // its own
			if sent, _, told := play(100); sent > 5*512+3000 || !slices.Equal(told, []uint32{512}) {
				t.Errorf("own budget of 512: %d bytes in five seconds, told %v", sent, told)
			}
			r.BytesPerS, m.BytesPerS = 0, 0
			if sent, _, told := play(20); sent < 3000 || !slices.Equal(told, []uint32{0}) {
				t.Errorf("without a budget again: %d bytes in a second, told %v", sent, told)
			}
		})
	}
}

// TestAnswersOfAFrameAreBounded: a client whose many orders are all answered at once, each with
// the most units left out, gets the answers over several frames, each once and in order.
func TestAnswersOfAFrameAreBounded(t *testing.T) {
	s := newScene(t)
	f := s.match().ForPlayers()
	r := receive(f, 0, 0, true)
	s.step(f)
	f.Send(r)
	<-r.Out // the snapshot
	left := make([]orders.LeftOut, orders.LeftMax)
	for i := range left {
		left[i] = orders.LeftOut{Unit: grid.Handle(1_000_000 + i), Code: orders.UnknownUnit}
	}
	for i := range AnswersMax {
		r.Backlog.Answer(0, s.world.Tick(), sim.Answer{Seq: uint32(i + 1), Code: orders.OK, Left: left})
	}
	const oneMax = 512 // bytes of an answer, and of what else a quiet frame tells
	told, frames := uint32(0), 0
	for ; told < AnswersMax && frames < AnswersMax; frames++ {
		s.step(f)
		f.Send(r)
		b := <-r.Out
		if len(b) > ownBytesMax+oneMax {
			t.Fatalf("frame %d has %d bytes", frames, len(b))
		}
		var frame pb.ServerFrame
		if err := proto.Unmarshal(b, &frame); err != nil {
			t.Fatal(err)
		}
		for _, a := range frame.Answers {
			if told++; a.Seq != told || len(a.LeftOut) != orders.LeftMax {
				t.Fatalf("frame %d: answer %v, want number %d with its units", frames, a, told)
			}
			told += a.More
		}
		f.Take(r, &wire.ClientFrame{Applied: r.Sent()})
	}
	if told != AnswersMax || frames < 2 {
		t.Errorf("%d answers in %d frames, want %d in several", told, frames, AnswersMax)
	}
}
