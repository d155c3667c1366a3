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

func (skirmish) Admit(_ Options, seats, taken int) error { return admitSeats(seats, taken) }

func (skirmish) Init(w *World) error {
	w.placeResources()
	if err := w.placeStarts(); err != nil {
		return err
	}
	w.placeLandmarks()
	return nil
}

func (skirmish) Tick(w *World) *Ending {
	w.dropTheAbsent()
	reason := "last-team"
	for i := range w.players {
		p := &w.players[i]
		if p.alive && !w.hasCentre(p.team) {
			w.defeat(p)
		}
		if !p.alive && p.out == w.tick && (p.left || p.gaveUp) {
			reason = "surrender"
		}
	}
	if end := w.lastTeam(reason); end != nil {
		return end
	}
	return w.timeUp()
}
