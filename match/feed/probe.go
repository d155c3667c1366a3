package feed

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/view"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// Holding describes the state of a live match's client, and the rows that it lacks, for the server's admins.
type Holding struct {
	Slot      grid.Slot // the match says it, as the next one
	Connected bool      // without a connection the rest is zero

	Base       grid.Tick // the tick that it holds, or will once it read its outbox; 0: none
	Sent       grid.Tick // of the last frame sent
	Acked      grid.Tick // last applied that it told
	Mute       grid.Tick // since when frames are held back from it; 0: they are not
	Incomplete bool      // it has not all of its base: rows were held back
	Late       int       // ticks by which its last applied frame is behind
	InFlight   int       // frames sent and not known to be applied
	Limit      int       // bytes per second that its link takes, as measured; 0: not known
	Allowed    int       // bytes per second that the server may send; 0: no limit
	Lacks      []view.Lack
	LacksAll   int // how many they are
}

// Holding returns a client's state, with at most the given number of rows that it lacks.
func (f *Feed) Holding(r *Receiver, most int) Holding {
	h := Holding{Base: r.base, Sent: r.sent, Acked: r.acked, Mute: r.mute, Incomplete: r.delta != nil, InFlight: r.InFlight(), Limit: r.Limit(), Allowed: f.Allowed(r)}
	if f.src.World == nil {
		return h // before the first frame
	}
	h.Late = r.Late(f.now(), f.PerSecond())
	for _, e := range f.eyes {
		if e.team == r.Team {
			h.Lacks, h.LacksAll = e.tracker.Lacks(r.delta, r.base, most)
		}
	}
	return h
}

// Probe makes the frames of a client with a team's eyes that takes a frame each tick, derives its sight and reads
// packed rows, and reports their sizes. It serves the inspection of a match that is played again, which has no clients.
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

// Look takes in a tick of the world. The first call sets the start of the frames and makes no frame. row, if not nil,
// is called for each row of the frame that names an entity, with its bytes. sizes has all bytes of the frame, except
// for the parts of single players.
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

// View returns the view of the last Look.
func (p *Probe) View() *view.View { return &p.e.view }

// This file is for a feed whose one client asks for each tick, as in a replay: such a client needs no [Receiver].

// Attend makes [Feed.Look] take in ticks for a team's eyes, [grid.NoTeam] for all.
func (f *Feed) Attend(team grid.Team) { f.with(team) }

// AppendFrame appends the frame that brings a client with a team's eyes from tick base (0: from an empty state) to the
// tick of the last look. It leaves out the client's own part. snapshot reports that the client begins anew with it.
func (f *Feed) AppendFrame(b []byte, team grid.Team, base grid.Tick, form Form) (out []byte, snapshot bool) {
	e := f.with(team)
	if base != 0 && !e.tracker.Covers(base) {
		base = 0
	}
	x := f.encode(e, base, form)
	b = wire.AppendClock(b, f.now(), grid.Ticks(f.now()-base), x.snapshot)
	return append(b, x.bytes...), x.snapshot
}

// AppendResult appends the result of a match to a frame.
func AppendResult(b []byte, r *sim.Result) []byte { return appendEnded(b, r) }
