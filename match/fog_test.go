package match

import (
	"fmt"
	"os"
	"testing"

	"github.com/fogkeep/fogkeep/match/bot"
	"github.com/fogkeep/fogkeep/match/client"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/sim/simtest"
	"github.com/fogkeep/fogkeep/match/view"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
	"github.com/fogkeep/fogkeep/visibility/obvious"
)

// oracle returns a team's permitted knowledge, from the world's own saves, tile by tile.
// It shares no code with match/view, and only the list of sources that end by themselves
// with the engine of sight.
type oracle struct {
	team     grid.Team
	setup    sim.Setup
	field    *obvious.Field
	explored []bool
	seen     map[place]bool // static things that were in sight once
}

// place is a static thing where it stands.
type place struct {
	typ uint16
	at  grid.Pos
}

// truth is one tick as the oracle judges it.
type truth struct {
	world   *sim.World
	visible []bool
	shown   map[place]bool // permitted positions, by type
}

func newOracle(setup sim.Setup, team grid.Team) *oracle {
	return &oracle{
		team: team, setup: setup, field: obvious.NewField(setup.Map), explored: make([]bool, setup.Map.W*setup.Map.H),
		seen: map[place]bool{},
	}
}

// judge works out the team's permitted knowledge of a restored world.
func (o *oracle) judge(w *sim.World) *truth {
	eyes := simtest.Eyes(w, o.team)
	tr := &truth{world: w, visible: o.field.Scan(eyes), shown: map[place]bool{}}
	detected := o.field.ScanDetected(eyes)
	for i, v := range tr.visible {
		o.explored[i] = o.explored[i] || v
	}
	for _, e := range w.Entities() {
		if o.sees(tr, detected, e) {
			tr.shown[place{e.Type(), e.Pos()}] = true
			if e.Class() == rules.ClassStructure || e.Class() == rules.ClassResource {
				o.seen[place{e.Type(), e.Pos()}] = true
			}
		}
	}
	return tr
}

func (o *oracle) sees(tr *truth, detected []bool, e *sim.Entity) bool {
	m, ty := o.setup.Map, &o.setup.Rules.Types[e.Type()]
	switch {
	case e.Team() == o.team || ty.Relevance == rules.RelevantAlways:
		return true
	case ty.Relevance == rules.RelevantToOwner:
		return false
	case e.Cloaked():
		return detected[m.Index(e.Tile())]
	case e.Class() == rules.ClassStructure || e.Class() == rules.ClassResource:
		for dy := range int16(ty.FootH) {
			for dx := range int16(ty.FootW) {
				if at := (grid.Tile{X: e.Foot().X + dx, Y: e.Foot().Y + dy}); m.In(at) && tr.visible[m.Index(at)] {
					return true
				}
			}
		}
		return tr.visible[m.Index(e.Tile())]
	}
	return tr.visible[m.Index(e.Tile())]
}

// compare reports each forbidden fact in a client's messages, and each missing thing in
// sight.
func (o *oracle) compare(tr *truth, r *client.Replica, f *wire.ServerFrame) []string {
	var wrong []string
	say := func(format string, args ...any) {
		wrong = append(wrong, fmt.Sprintf("tick %d, team %d: ", r.Tick, o.team)+fmt.Sprintf(format, args...))
	}
	types, m := o.setup.Rules.Types, o.setup.Map
	matched := map[place]bool{}
	for h, e := range r.Entities {
		at, found := r.Pos(e, r.Tick), false
		for p := range tr.shown {
			if p.typ == e.Type && p.at.Within(at, view.ToleranceDefault) {
				matched[p], found = true, true
			}
		}
		if !found {
			say("handle %d is a %s at %v, where none is in sight", h, types[e.Type].Name, at)
		}
	}
	for p := range tr.shown {
		if !matched[p] {
			say("the %s at %v is in sight and was not told", types[p.typ].Name, p.at)
		}
	}
	for _, g := range r.Ghosts {
		if !o.seen[place{g.Type, g.Pos}] {
			say("a %s is remembered at %v, where none was ever in sight", types[g.Type].Name, g.Pos)
		}
	}
	for i, lit := range tr.visible {
		at := m.TileAt(i)
		if lit != r.Visible(at) || o.explored[i] != r.Explored(at) {
			say("%v: in sight %v and told %v, explored %v and told %v", at, lit, r.Visible(at), o.explored[i], r.Explored(at))
		}
	}
	for _, x := range f.Diff.Fire {
		if r.Entities[x.Handle] == nil || r.Entities[x.Target] == nil {
			say("handle %d fires at %d, and one of them is out of sight", x.Handle, x.Target)
		}
	}
	for _, e := range f.Diff.Events {
		switch e.Kind {
		case view.EventBlast, view.EventDeath, view.EventAbility:
			if at := e.At.Tile(); m.In(at) && !tr.visible[m.Index(at)] && e.Source == 0 {
				say("event %d at %v, which is out of sight", e.Kind, at)
			}
		case view.EventShot:
			if r.Entities[e.Source] == nil {
				say("a shot of handle %d, which is out of sight", e.Source)
			}
		}
		for _, h := range []grid.Handle{e.Source, e.Target} {
			if h != 0 && r.Entities[h] == nil {
				say("event %d names handle %d, which is out of sight", e.Kind, h)
			}
		}
	}
	return wrong
}

// player is a bot at the other end of a pipe.
type player struct {
	*pipeClient
	mind bot.Player
}

// play lets the bot take in a frame and sends its orders.
func (p *player) play(f *wire.ServerFrame) {
	p.t.Helper()
	p.mind.Take(f)
	if orders := p.mind.Think(); len(orders) > 0 {
		p.send(&pb.ClientFrame{Applied: uint32(p.Tick()), Orders: orders})
	}
}

// Two bots play a whole match. Each tick, the test compares each bot's messages with the
// world: they never have a thing out of sight, and always have all things in sight.
func TestNothingOutOfSightIsSent(t *testing.T) {
	rules, err := rules.Shipped("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	m := flatMap(48)
	for y := range int16(48) { // a ridge between the two, with a gap
		if y < 20 || y > 26 {
			for x := int16(22); x < 26; x++ {
				m.Levels[m.Index(grid.Tile{X: x, Y: y})] = 2
			}
		}
	}
	m.Resources = []grid.Tile{{X: 4, Y: 12}, {X: 43, Y: 35}, {X: 24, Y: 24}}
	minutes := int32(1)
	if os.Getenv("FOGKEEP_TEST_LONG") != "" {
		minutes = 10
	}
	spec := Spec{
		ID: matchID, Map: m, Rules: rules, Seed: 11, EveryTick: true, Options: sim.Options{TimeLimitMs: minutes * 60_000},
		Seats: []SeatSpec{{Name: "a", Team: 0, Start: 0}, {Name: "b", Team: 1, Start: 1}},
	}
	var save []byte
	spec.OnTick = func(x Ticked) { save = x.World.Save(save[:0]) }
	a := startServiceHarness(t, spec, Config{})
	var players []*player
	for slot := range grid.Slot(2) {
		players = append(players, &player{pipeClient: a.connect(&pb.Hello{Ticket: fmt.Sprintf("%s %d", matchID, slot)}, 0)})
		a.asked()
		a.requested(int(slot) + 1)
	}
	oracles := []*oracle{newOracle(spec.Setup(), 0), newOracle(spec.Setup(), 1)}
	wrong, checked, met := 0, 0, 0
	for a.tick() {
		world, err := sim.Restore(spec.Setup(), save)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range players {
			if p.mind == nil {
				p.read()
				if p.mind, err = bot.Medium.New(p.State); err != nil {
					t.Fatal(err)
				}
			}
			f := p.read()
			if f.Closing != nil {
				continue
			}
			p.play(f)
			tr := oracles[i].judge(world)
			checked++
			for _, e := range p.Replica.Entities {
				if e.Owner == grid.Slot(1-i) {
					met++
				}
			}
			for _, w := range oracles[i].compare(tr, p.Replica, f) {
				if wrong++; wrong < 20 {
					t.Error(w)
				}
			}
		}
		if wrong > 0 {
			t.Fatalf("%d things are wrong by tick %d", wrong, players[0].Replica.Tick)
		}
	}
	if r := <-a.clerk.results; r.Ended == nil || checked < 2000 || met == 0 {
		t.Errorf("the match ended as %+v; %d frames were checked, with enemies %d times: that proves little", r, checked, met)
	}
	t.Logf("%d frames checked, enemies in sight %d times", checked, met)
}
