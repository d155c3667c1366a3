package sim

// skirmish: each player begins with the ruleset's start; a team with no
// structure marked "centre" is defeated; the last team wins.
type skirmish struct{}

func (skirmish) Name() string { return "skirmish" }

func (skirmish) InitGame(o Options) error {
	if o.ScoreLimit != 0 {
		return optionError("score limit", "skirmish has none")
	}
	return nil
}

func (skirmish) Init(w *World) error {
	w.placeResources()
	return w.placeStarts()
}

func (skirmish) Tick(w *World) *Ending {
	w.dropTheAbsent()
	for i := range w.players {
		if p := &w.players[i]; p.alive && !w.hasCentre(p.team) {
			w.defeat(p)
		}
	}
	if end := w.lastTeam(w.endReason()); end != nil {
		return end
	}
	return w.timeUp()
}
