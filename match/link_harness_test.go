package match

import (
	"fmt"
	"slices"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/view"
	"github.com/fogkeep/fogkeep/orders"
	"github.com/fogkeep/fogkeep/visibility"
)

// linkHarness is a harness whose clients are behind links with the test's faults.
type linkHarness struct {
	harness
	t      failer
	ends   []*end
	truth  [][]*shown // by team and tick: the team's permitted knowledge
	looks  []look     // by team
	deaths int
	queued []queuedRows // by slot
}

func newLinkHarness(t *testing.T, fail failer, spec Spec, cfg Config) *linkHarness {
	fail.Helper()
	r := &linkHarness{t: fail, harness: newHarness(t, fail, spec, cfg)}
	r.truth = make([][]*shown, r.m.world.Teams())
	r.looks = make([]look, len(r.truth))
	for i := range r.truth {
		r.truth[i] = []*shown{nil} // there is no tick 0
	}
	for slot := range spec.Seats {
		r.ends = append(r.ends, newEnd(r, grid.Slot(slot)))
		r.queued = append(r.queued, queuedRows{})
	}
	return r
}

// tick moves the match and all links by one tick.
func (r *linkHarness) tick() {
	r.t.Helper()
	next := r.now() + 1
	for _, e := range r.ends {
		e.deliver(next)
	}
	r.elapse()
	r.turn(false)
	for _, e := range r.m.world.Events() {
		if e.Kind == sim.EventDied {
			r.deaths++
		}
	}
	for team := range r.truth {
		r.truth[team] = append(r.truth[team], r.show(grid.Team(team)))
	}
	for slot := range r.queued {
		r.queued[slot].note(r, r.m.seats.all[slot])
	}
	for _, e := range r.ends {
		e.collect(next)
	}
	for _, e := range r.ends {
		e.receive(next)
	}
}

// queuedRows is all that was ever put into a seat's resend queues, as its client is to
// see it (other players hear chat too), and the shots of its own that have to come back
// to it.
type queuedRows struct {
	answers   []uint32
	cancelled []string
	started   []startedAt
}

type startedAt struct {
	at grid.Tick
	view.Started
}

func (b *queuedRows) note(r *linkHarness, st *seat) {
	for _, row := range st.backlog.Answers.Rows() {
		if row.At == r.now() {
			b.answers = append(b.answers, row.What.Seq)
		}
	}
	for _, row := range st.backlog.Cancelled.Rows() {
		if row.At == r.now() {
			b.cancelled = append(b.cancelled, fmt.Sprint(row.What.Unit, " ", orders.Reject(row.What.Code)))
		}
	}
	if v := r.m.output.players.View(st.team); v != nil && v.Tick == r.now() {
		for _, o := range v.Owners {
			for _, s := range o.Started {
				if o.Slot == st.slot {
					b.started = append(b.started, startedAt{r.now(), s})
				}
			}
		}
	}
}

// shown is one team's permitted knowledge of one tick.
type shown struct {
	units   map[grid.Handle]view.Unit
	ghosts  map[grid.Handle]view.Ghost
	players []view.Player
	owns    []view.OwnerState
	blocks  [][2]uint64 // visible and explored, of 8x8 tiles
	hash    uint32
}

// look builds a team's sights once more: the match's own views leave out values that its
// clients reckon right.
type look struct {
	builder *view.Builder // nil: no player of the team is there
	view    view.View
}

// show copies the team's permitted knowledge; nil while no player of the team is there.
func (r *linkHarness) show(team grid.Team) *shown {
	l := &r.looks[team]
	sent := r.m.output.players.View(team)
	if sent == nil || sent.Tick != r.now() {
		l.builder = nil
		return nil
	}
	if l.builder == nil {
		l.builder = view.NewBuilder(team)
	}
	l.builder.Build(r.m.world, &l.view)
	v := &l.view
	s := &shown{units: map[grid.Handle]view.Unit{}, ghosts: map[grid.Handle]view.Ghost{}, players: slices.Clone(sent.Players)}
	for _, u := range v.Units {
		s.units[u.Handle] = u
	}
	for _, g := range v.Ghosts {
		s.ghosts[g.Handle] = g
	}
	for _, o := range v.Owners {
		o.Resources = slices.Clone(o.Resources)
		o.Production = slices.Clone(o.Production)
		for i := range o.Production {
			o.Production[i].Types = slices.Clone(o.Production[i].Types)
		}
		o.Units = slices.Clone(o.Units)
		for i := range o.Units {
			o.Units[i].Actions = slices.Clone(o.Units[i].Actions)
		}
		s.owns = append(s.owns, o)
	}
	eyes := r.m.world.Eyes()
	visible, explored := eyes.Mask(visibility.VisibleNow, team), eyes.Mask(visibility.ExploredEver, team)
	for y := 0; y < v.H; y += 8 {
		for x := 0; x < v.W; x += 8 {
			at := grid.Tile{X: int16(x), Y: int16(y)}
			s.blocks = append(s.blocks, [2]uint64{visible.Block(at), explored.Block(at)})
		}
	}
	s.hash = visible.Hash()
	return s
}

func (s *shown) tile(at grid.Tile, w int) (visible, explored bool) {
	b, bit := s.blocks[int(at.Y>>3)*((w+7)/8)+int(at.X>>3)], 8*(at.Y&7)+at.X&7
	return b[0]>>bit&1 != 0, b[1]>>bit&1 != 0
}
