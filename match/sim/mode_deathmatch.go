package sim

import "github.com/fogkeep/fogkeep/match/grid"

// deathmatch: each player has an army and almost no economy. A player without units
// is defeated. The last team wins, or the first to reach the score limit.
type deathmatch struct{}

func (deathmatch) Name() string { return "deathmatch" }

func (deathmatch) InitGame(Options) error { return nil }

func (deathmatch) Init(w *World) error { return w.placeStarts() }

func (deathmatch) Tick(w *World) *Ending {
	w.dropTheAbsent()
	for i := range w.players {
		p := &w.players[i]
		if p.alive && !w.hasUnits(p) && !w.lends(p) {
			w.defeat(p)
		}
	}
	if end := w.lastTeam("last-team"); end != nil {
		return end
	}
	if limit := w.opts.ScoreLimit; limit > 0 {
		if t := w.leader(); t != grid.NoTeam && w.teamScore(t) >= int64(limit) {
			return &Ending{t, "score-limit"}
		}
	}
	return w.timeUp()
}
