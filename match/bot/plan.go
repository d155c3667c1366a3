package bot

// plan has the settings of one level.
type plan struct {
	thinkMs      int // from one decision to the next
	workers      int // for gathering
	barracks     int // built for their units
	barracksMost int // built for the room they give
	peaceSeconds int // before that it does not attack

	commands bool // it leads its army and its economy by its own rules, not by those below

	// Fighters of the first attack, how many more after each failed attack, and the most.
	waveFirst, waveStep, waveMax int
	fewFighters                  bool // it trains no more than its next attack needs
}

var plans = [...]plan{
	Easy:   {thinkMs: 2000, workers: 5, barracks: 1, barracksMost: 2, peaceSeconds: 360, waveFirst: 8, waveStep: 2, waveMax: 16, fewFighters: true},
	Medium: {thinkMs: 500, workers: 10, barracks: 3, barracksMost: 10, waveFirst: 18, waveStep: 8, waveMax: 60},
	Hard:   {thinkMs: 500, commands: true},
}
