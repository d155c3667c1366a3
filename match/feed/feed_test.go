package feed

import (
	"bytes"
	"slices"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/sim/simtest"
	"github.com/fogkeep/fogkeep/match/view"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// uncounted is a meter and a counter that count nothing.
type uncounted struct{}

func (uncounted) Skipped()                     {}
func (uncounted) Short()                       {}
func (uncounted) Frame(int, *wire.Sizes, bool) {}
func (uncounted) Message([]byte)               {}

// scene is a world of one player against another, in which nobody is armed.
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

// match returns what the scene's feeds need, by the rules as they are now.
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
	r := NewReceiver(link.NewSession(nil, wire.ClientFrame{Hello: &wire.Hello{DerivesFog: derivesFog}}))
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
		if !r.Short() {
			t.Fatalf("tick %d: the client lacks nothing", tick)
		}
		units := f.View(0).Units
		for _, row := range f.eyes[0].diff.Values[view.ValueHealth] {
			u := &units[slices.IndexFunc(units, func(u view.Unit) bool { return u.Handle == row.Handle })]
			place, typ := 0, slices.Index(names[:], s.rules.Types[u.Type].Name)
			if u.Pos.Tile().X > 45 {
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
