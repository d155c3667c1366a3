package feed

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/view"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// Holding is what a client of a live match holds, and what it was not sent, for the
// server's admins.
type Holding struct {
	Slot      grid.Slot // the match says it, as the next one
	Connected bool      // without a connection the rest is zero

	Base     grid.Tick // what it holds, or will once it read its outbox; 0: nothing
	Sent     grid.Tick // of the last frame sent
	Acked    grid.Tick // last applied that it told
	Mute     grid.Tick // since when frames are held back from it; 0: they are not
	Short    bool      // it has not all of its base: rows were held back
	Late     int       // ticks that what it has applied is behind
	InFlight int       // frames sent and not known to be applied
	Limit    int       // bytes a second that its link was measured to take; 0: not known
	Allowed  int       // bytes a second that it may be sent; 0: no limit
	Lacks    []view.Lack
	LacksAll int // how many they are
}

// Holding returns what a client holds, with the first most of what it lacks.
func (f *Feed) Holding(r *Receiver, most int) Holding {
	h := Holding{Base: r.base, Sent: r.sent, Acked: r.acked, Mute: r.mute, Short: r.delta != nil, InFlight: r.InFlight(), Limit: r.Limit(), Allowed: f.Allowed(r)}
	if f.src.World == nil {
		return h // nobody was sent anything yet
	}
	h.Late = r.Late(f.now(), f.PerSecond())
	for _, e := range f.eyes {
		if e.team == r.Team {
			h.Lacks, h.LacksAll = e.tracker.Lacks(r.delta, r.base, most)
		}
	}
	return h
}

// Probe makes the frames that a client with a team's eyes is sent if it takes one each
// tick, derives its sight and reads packed rows, and says what they take. It is for those who look into a match that is played
// again: it has no clients.
type Probe struct {
	f     *Feed
	e     *eyes
	cache *view.Cache // nil: it has not looked yet
}

// NewProbe returns a probe with a team's eyes.
func (m *Match) NewProbe(team grid.Team) *Probe {
	f := m.ForPlayers()
	return &Probe{f: f, e: f.with(team)}
}

// Look takes in a tick of the world. The first one tells where the frames begin; it has
// none of its own. row, if not nil, is called for each row of the frame that names an
// entity, with its bytes. sizes has all bytes of the frame, but for those that are for
// one player alone.
func (p *Probe) Look(w *sim.World, row func(part wire.Part, h grid.Handle, class pb.TypeClass, bytes int), sizes *wire.Sizes) {
	first := p.cache == nil
	if first {
		p.cache = view.NewCache(w)
	}
	p.cache.Prepare(w)
	base := p.e.tracker.Tick()
	p.f.Look(Source{World: w, Cache: p.cache})
	if p.e.meter.Row = row; first {
		p.e.meter.Row = nil
	}
	x := p.f.encode(p.e, base, Form{Packed: true})
	if !first && sizes != nil {
		sizes.Add(&x.sizes)
	}
}

// View returns what the last Look made of the team's eyes.
func (p *Probe) View() *view.View { return &p.e.view }
