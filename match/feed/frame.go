package feed

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/proto/wire"
)

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
