package bot

// plan has the settings of one level, as its style changes them.
type plan struct {
	thinkMs      int // from one decision to the next
	workers      int // for gathering, at most
	barracks     int // built for their units
	barracksMost int // built for the room they give
	peaceSeconds int // before that it does not attack, and trains no more than its first attack needs
	scoutSeconds int // from the first scout to the second; each next wait is twice as long

	sails    bool // it builds docks and ships where no way on the ground leads to the enemy
	commands bool // it leads its army and its economy by its own rules, hard_*.go

	// Fighters of the first attack, how many more after each failed attack, and the most. A player that commands counts their
	// population.
	waveFirst, waveStep, waveMax int
	fewFighters                  bool // after the peace, too, it trains no more than its next attack needs

	// Of a player that commands:
	ratio       int        // it attacks with so much more power than the enemy's that it has seen, in percent
	bases       int        // at most
	baseSeconds int        // another base is wanted after each such time
	producers   int        // structures that train fighters, for each base
	guards      int        // structures that shoot, for each base
	watchful    bool       // it builds them before enemies come; a player that does not command builds them only then
	shares      [roles]int // each role's part of the population

	upgrades int   // fighters from which on it pays for upgrades
	income   int32 // more of each load than its workers bring, in percent
}

// share is each role's part of the population. Cloaked units are worth their price where they can hunt siege and
// casters, and more are made then.
var share = [roles]int{line: 10, siege: 3, caster: 3, wing: 4, shadow: 2, watcher: 1}

var plans = [...]plan{
	Beginner: {thinkMs: 2000, workers: 7, barracks: 1, barracksMost: 3, peaceSeconds: 480, scoutSeconds: 240, waveFirst: 10, waveStep: 3, waveMax: 20, fewFighters: true, upgrades: 100},
	Easy:     {thinkMs: 1400, workers: 8, barracks: 2, barracksMost: 4, peaceSeconds: 360, scoutSeconds: 240, waveFirst: 11, waveStep: 4, waveMax: 28, fewFighters: true, upgrades: 12},
	Medium:   {thinkMs: 600, sails: true, workers: 12, barracks: 4, barracksMost: 10, peaceSeconds: 240, scoutSeconds: 240, waveFirst: 16, waveStep: 8, waveMax: 60, upgrades: 12},
	Hard: {thinkMs: 2000, sails: true, workers: 13, scoutSeconds: 90, commands: true, waveFirst: 16, waveStep: 7, waveMax: 70,
		ratio: 110, bases: 1, baseSeconds: 240, producers: 2, guards: 1, shares: share, upgrades: 30},
	Expert: {thinkMs: 800, sails: true, workers: 20, scoutSeconds: 90, commands: true, waveFirst: 28, waveStep: 10, waveMax: 70,
		ratio: 170, bases: 2, baseSeconds: 240, producers: 3, guards: 2, shares: share, upgrades: 20},
	Master: {thinkMs: 500, sails: true, workers: 40, scoutSeconds: 90, commands: true, waveFirst: 28, waveStep: 10, waveMax: 70,
		ratio: 170, bases: 4, baseSeconds: 150, producers: 4, guards: 2, shares: share, upgrades: 12, income: 25},
}

// styled returns the plan of a level in a style. No style shortens the peace.
func (p plan) styled(s Style) plan {
	percent := func(n *int, of int) { *n = (*n*of + 50) / 100 }
	switch s {
	case Rush:
		percent(&p.waveFirst, 60)
		percent(&p.workers, 70)
		percent(&p.ratio, 70)
		percent(&p.baseSeconds, 200)
		p.shares, p.upgrades = [roles]int{line: 14, siege: 1, caster: 2, wing: 2, shadow: 1, watcher: 1}, 30
	case Turtle:
		percent(&p.waveFirst, 170)
		percent(&p.waveMax, 120)
		percent(&p.ratio, 120)
		p.guards, p.watchful = p.guards+2, true
		p.shares = [roles]int{line: 10, siege: 5, caster: 4, wing: 3, shadow: 1, watcher: 1}
	case Raid:
		percent(&p.waveFirst, 75)
		percent(&p.waveStep, 50)
		p.shares = [roles]int{line: 9, siege: 2, caster: 3, wing: 6, shadow: 4, watcher: 1}
	case Tech:
		percent(&p.waveFirst, 125)
		p.shares = [roles]int{line: 7, siege: 4, caster: 5, wing: 5, shadow: 3, watcher: 1}
		percent(&p.upgrades, 33)
	case Expand:
		percent(&p.waveFirst, 120)
		percent(&p.workers, 115)
		percent(&p.baseSeconds, 80)
		p.bases++
		p.barracks++
	}
	return p
}
