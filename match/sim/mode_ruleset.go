package sim

import (
	"encoding/binary"
	"slices"

	"github.com/fogkeep/fogkeep/internal/archive"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/visibility"
)

// Bounds of the acts of a ruleset's mode in one tick, and in a match.
const (
	modeSpawnsMax    = 64            // entities a tick
	modeRevealsMax   = 4             // a tick
	modeRevealTicks  = 600           // the longest, in ticks
	modeEntitiesMax  = 8192          // no more is spawned if there are so many
	ModeStockMax     = 1_000_000_000 // of one resource
	modeScoreMax     = 1_000_000_000 // of a score, above and below 0, and of a value
	modeRevealRadius = 64            // half tiles
)

// rulesetMode plays a mode that the ruleset declares. The world places the ruleset's resources, start units and landmarks
// before it. Its memory are the teams and players for which triggers that act once have acted, and its script's variables.
type rulesetMode struct{ def *rules.Mode }

// Name implements [GameMode].
func (m rulesetMode) Name() string { return m.def.Name }

// InitGame implements [GameMode].
func (rulesetMode) InitGame(o Options) error {
	if o.ScoreLimit != 0 {
		return optionError("score limit", "modes of a ruleset have none: their triggers end the match")
	}
	return nil
}

// guest is a world's state for a mode of its ruleset.
type guest struct {
	memory []byte
	values [rules.ModeValuesMax][grid.TeamsMax]int32

	waits   []wait                                   // in the order of the deaths
	returns [rules.RespawnsMax][grid.SlotsMax]uint16 // that each player has used up

	spawned, revealed int // in this tick
	end               *Ending
}

// declared returns the mode of the match as its ruleset declares it, nil for a mode of fogkeep itself.
func (w *World) declared() *rules.Mode {
	if m, ok := w.mode.(rulesetMode); ok {
		return m.def
	}
	return nil
}

// OpenScores reports whether the match's mode shows all players all scores.
func (w *World) OpenScores() bool {
	def := w.declared()
	return def != nil && def.OpenScores
}

// ModeValues lists the values that the match's mode shows. They are read-only.
func (w *World) ModeValues() []rules.ModeValue {
	if def := w.declared(); def != nil {
		return def.Values
	}
	return nil
}

// ModeValue returns a team's value by its number in [World.ModeValues].
func (w *World) ModeValue(i int, t grid.Team) int32 { return w.guest.values[i][t] }

// ModeArea is a circle of the map that a mode shows, such as a hill to hold.
type ModeArea struct {
	Name   string
	At     grid.Tile // the middle
	Radius grid.Dist
}

// ModeAreas lists the areas of the match's mode that are in the same place for all.
func (w *World) ModeAreas() (out []ModeArea) {
	def := w.declared()
	for i := 0; def != nil && i < len(def.Areas); i++ {
		if a := &def.Areas[i]; !a.AtStart {
			out = append(out, ModeArea{a.Name, areaMiddle(w.m, a), a.Radius})
		}
	}
	return out
}

// resultValues puts the values into the result.
func (w *World) resultValues() {
	for i := range w.result.Players {
		p := &w.result.Players[i]
		for k, v := range w.ModeValues() {
			if k == 0 {
				p.Values = map[string]int32{}
			}
			p.Values[v.Name] = w.guest.values[k][p.Team]
		}
	}
}

// modeState is the part of the state that only modes of rulesets have.
func (w *World) modeState(a *archive.Archive) {
	m, ok := w.mode.(rulesetMode)
	if !ok {
		return
	}
	var version uint32 // always 0: former builds had modes of programs, with versions
	archive.Word(a, &version)
	a.Nested(func(b []byte) []byte { return append(b, w.guest.memory...) }, func(b []byte) error {
		w.guest.memory = slices.Clone(b)
		return nil
	})
	if n := m.memory(w); a.Reading() && (version != 0 || len(w.guest.memory) != n) {
		a.Fail("a mode's memory of %d bytes, want %d", len(w.guest.memory), n)
	}
	for i := range m.def.Values {
		for t := range w.teams {
			v := &w.guest.values[i][t]
			if archive.Word(a, v); *v < 0 || *v > modeScoreMax {
				a.Fail("a mode's value of %d", *v)
			}
		}
	}
	w.respawnState(a)
	if a.Reading() && w.result != nil {
		w.resultValues()
	}
}

// memory returns how many bytes the mode keeps: two for each trigger, four for each number of a script's variables and
// for each of its timers.
func (m rulesetMode) memory(w *World) int {
	if m.def.Script == nil {
		return 2 * len(m.def.Triggers)
	}
	s := &modeScript{w: w, def: m.def}
	return s.place(len(m.def.Script.Vars)) + 4*len(m.def.Script.Timers)
}

// Init implements [GameMode].
func (m rulesetMode) Init(w *World) error {
	w.placeResources()
	if err := w.placeStarts(); err != nil {
		return err
	}
	w.settle()
	m.begin(w)
	return nil
}

// begin makes the memory, and lets the script begin.
func (m rulesetMode) begin(w *World) {
	w.guest.memory = make([]byte, m.memory(w))
	if m.def.Script != nil {
		scriptOf(w, m.def).begin()
	}
}

// subject is the team or the player for which a trigger runs.
type subject struct {
	team    grid.Team
	players []*player // alive, by slot
}

// subjects returns the teams, or the players, who are alive.
func (w *World) subjects(perPlayer bool) (out []subject) {
	for i := range w.players {
		p := &w.players[i]
		k := slices.IndexFunc(out, func(s subject) bool { return s.team == p.team })
		switch {
		case !p.alive:
		case perPlayer || k < 0:
			out = append(out, subject{p.team, []*player{p}})
		default:
			out[k].players = append(out[k].players, p)
		}
	}
	return out
}

// Tick implements [GameMode].
func (m rulesetMode) Tick(w *World) *Ending {
	w.dropTheAbsent()
	w.guest.spawned, w.guest.revealed = 0, 0
	m.decide(w)
	w.settle()
	w.deal()
	w.settle()
	if w.guest.end != nil {
		return w.guest.end
	}
	if end := w.lastTeam(w.endReason()); end != nil {
		return end
	}
	return w.timeUp()
}

// decide runs the triggers in the order of the file, and then the script. If several teams win in one tick by triggers,
// the match is a draw.
func (m rulesetMode) decide(w *World) {
	m.out(w)
	m.comeBack(w)
	done := w.guest.memory
	winner, reason := grid.NoTeam, ""
	for i := range m.def.Triggers {
		t := &m.def.Triggers[i]
		if int64(w.tick)%max(1, int64(t.EveryMs)*int64(w.rate)/1000) != 0 {
			continue
		}
		acted := binary.LittleEndian.Uint16(done[2*i:])
		for _, s := range w.subjects(t.PerPlayer) {
			bit := uint16(1) << s.team
			if t.PerPlayer {
				bit = 1 << s.players[0].slot
			}
			if t.Once && acted&bit != 0 || slices.ContainsFunc(t.If, func(c rules.Condition) bool { return m.holds(w, &c, &s) == c.Not }) {
				continue
			}
			acted |= bit
			for k := range t.Do {
				if a := &t.Do[k]; a.Kind != rules.ActionWin {
					m.act(w, a, &s)
				} else if reason == "" {
					winner, reason = s.team, a.Reason
				} else if winner != s.team {
					winner = grid.NoTeam
				}
			}
		}
		if t.Once {
			binary.LittleEndian.PutUint16(done[2*i:], acted)
		}
	}
	if m.def.Script != nil {
		scriptOf(w, m.def).tick()
	}
	if reason != "" {
		w.endMatch(winner, reason)
	}
}

// out takes players out by the mode's rule of defeat.
func (m rulesetMode) out(w *World) {
	for i := range w.players {
		p := &w.players[i]
		switch {
		case !p.alive:
		case m.def.Defeat == rules.DefeatCentre && !w.hasCentre(p.team), m.def.Defeat == rules.DefeatUnits && !w.hasUnits(p) && !w.lends(p) && !w.awaits(p):
			w.defeat(p)
		}
	}
}

// holds answers a condition for a team or a player.
func (m rulesetMode) holds(w *World, c *rules.Condition, s *subject) bool {
	n := int64(0)
	switch c.Kind {
	case rules.ConditionBots:
		return !slices.ContainsFunc(s.players, func(p *player) bool { return !p.bot })
	case rules.ConditionHolds:
		own, others := m.present(w, c.Area, s, func(e *Entity) bool { return e.team == s.team })
		return own > 0 && others == 0
	case rules.ConditionSees:
		return slices.ContainsFunc(m.middles(w, c.Area, s), func(t grid.Tile) bool { return w.eyes.Visible(s.team, t) })
	case rules.ConditionOwns:
		for _, p := range s.players {
			n += int64(p.counts[c.Of])
		}
	case rules.ConditionPresent:
		own, _ := m.present(w, c.Area, s, func(e *Entity) bool {
			return slices.ContainsFunc(s.players, func(p *player) bool { return p.slot == e.slot })
		})
		n = int64(own)
	case rules.ConditionScore:
		for _, p := range s.players {
			n += int64(p.score)
		}
	case rules.ConditionStock:
		for _, p := range s.players {
			n += int64(p.stock[c.Of])
		}
	case rules.ConditionTime:
		n = int64(w.tick) / int64(w.rate)
	case rules.ConditionValue:
		n = int64(w.guest.values[c.Of][s.team])
	}
	return n >= int64(c.Min) && n <= int64(c.Max)
}

// present counts the units in an area: own units, and units of others.
func (m rulesetMode) present(w *World, area int, s *subject, own func(*Entity) bool) (mine, others int) {
	r := m.def.Areas[area].Radius
	for _, at := range m.middles(w, area, s) {
		for _, e := range w.all {
			if e.class != rules.ClassUnit || e.dying || e.team == grid.NoTeam || e.Pos().Sub(at.Center()).Len() > r {
				continue
			}
			if own(e) {
				mine++
			} else {
				others++
			}
		}
	}
	return mine, others
}

// middles returns the middle of an area; of an area around starts, one for each player.
func (m rulesetMode) middles(w *World, area int, s *subject) (out []grid.Tile) {
	a := &m.def.Areas[area]
	if !a.AtStart {
		return []grid.Tile{areaMiddle(w.m, a)}
	}
	for _, p := range s.players {
		out = append(out, w.m.Starts[p.start])
	}
	return out
}

// areaMiddle returns the middle of an area that is on the same place for all.
func areaMiddle(m *grid.Map, a *rules.Area) grid.Tile {
	return grid.Tile{X: int16((int(a.X)*(m.W-1) + 500) / 1000), Y: int16((int(a.Y)*(m.H-1) + 500) / 1000)}
}

// act does one action for a team or a player. An action that cannot be done, such as a unit without room, is left out.
func (m rulesetMode) act(w *World, a *rules.Action, s *subject) {
	switch a.Kind {
	case rules.ActionAdd, rules.ActionSet:
		n := int64(a.Amount)
		if a.Kind == rules.ActionAdd {
			n += int64(w.guest.values[a.Of][s.team])
		}
		w.guest.values[a.Of][s.team] = int32(min(max(n, 0), modeScoreMax))
	case rules.ActionDefeat:
		if w.acts() {
			for _, p := range s.players {
				w.defeat(p)
			}
		}
	case rules.ActionGive:
		for _, p := range s.players {
			p.receive(a.Of, a.Amount)
		}
	case rules.ActionReveal:
		for _, at := range m.middles(w, a.Area, s) {
			w.revealTo(s.team, at, a.Sight, grid.Ticks(max(1, int64(a.DurationMs)*int64(w.rate)/1000)))
		}
	case rules.ActionScore:
		s.players[0].addScore(a.Amount)
	case rules.ActionSpawn:
		r := int16(m.def.Areas[a.Area].Radius / grid.WUPerTile)
		for i, at := range m.middles(w, a.Area, s) {
			for k, p := range s.players {
				if m.def.Areas[a.Area].AtStart && i != k {
					continue // each player at the player's own start
				}
				w.spawnAround(uint16(a.Of), a.Amount, p.slot, at, r)
			}
		}
	}
}

// spawnAround makes units of a type, from the middle of a circle outwards. It reports whether all had room.
func (w *World) spawnAround(typ uint16, left int32, s grid.Slot, at grid.Tile, r int16) bool {
	for n := range r + 1 {
		for tile := range at.Ring(n) {
			if w.spawnOfMode(s, typ, tile) {
				left--
			}
			if left == 0 {
				return true
			}
		}
	}
	return false
}

// acts reports whether the match has begun and goes on: before and after it, modes hurt and remove no entities.
func (w *World) acts() bool { return w.tick > 0 && w.guest.end == nil }

// spawnOfMode makes a finished unit or structure of a living player, or without a player a pickup or a switch: a unit in
// the middle of the tile, a structure with its middle there. It costs nothing, and counts for the population. It reports
// false if there is no room, or beyond [modeSpawnsMax] and [modeEntitiesMax].
func (w *World) spawnOfMode(s grid.Slot, typ uint16, at grid.Tile) bool {
	neutral := s == grid.NoSlot && w.rules.Types[typ].Feature.Common()
	if !neutral && (int(s) >= len(w.players) || !w.players[s].alive) || w.guest.end != nil || w.guest.spawned >= modeSpawnsMax ||
		len(w.all)+len(w.newborns) >= modeEntitiesMax || w.nextCounter(s) > grid.EntityCounterMax || !w.canSpawn(typ, at) {
		return false
	}
	w.guest.spawned++
	w.spawn(s, typ, at.Center(), false)
	return true
}

// receive adds to a living player's stock of a resource. A negative amount takes away as much as there is.
func (p *player) receive(resource int, amount int32) {
	n := int64(p.stock[resource]) + int64(max(amount, -p.stock[resource]))
	if p.alive && n <= ModeStockMax {
		p.stock[resource] = int32(n)
	}
}

// addScore adds to a player's score, which the player's team is shown at once.
func (p *player) addScore(points int32) {
	score, shown := int64(p.score)+int64(points), int64(p.shown)+int64(points)
	if max(score, shown) <= modeScoreMax && min(score, shown) >= -modeScoreMax {
		p.score, p.shown = int32(score), int32(shown)
	}
}

// revealTo shows a circle of the map to a team, as seen from above, without detection.
func (w *World) revealTo(t grid.Team, at grid.Tile, radius uint8, ticks grid.Ticks) {
	if !w.acts() || !w.m.In(at) || radius > modeRevealRadius || ticks < 1 || ticks > modeRevealTicks || w.guest.revealed >= modeRevealsMax {
		return
	}
	w.guest.revealed++
	w.eyes.Add(t, visibility.Source{Tile: at, Radius: visibility.Radius(radius), Flyer: true, Until: w.tick + grid.Tick(ticks)})
}

// endMatch ends the match with this tick. Only the first end counts.
func (w *World) endMatch(winner grid.Team, reason string) {
	if w.acts() {
		w.guest.end = &Ending{winner, reason}
	}
}

// mortal returns the unit or structure with that id, or nil.
func (w *World) mortal(id grid.EntityID) *Entity {
	if e := w.find(id); e != nil && !e.dying && (e.class == rules.ClassUnit || e.class == rules.ClassStructure) {
		return e
	}
	return nil
}

// resourceOf returns the resource's number, -1 for an unknown name.
func (w *World) resourceOf(name string) int {
	return slices.Index(w.rules.Resources, name)
}

// canSpawn reports whether a unit or structure of the type can stand at a tile at the
// end of a tick, when units have moved since w.near was built.
func (w *World) canSpawn(typ uint16, at grid.Tile) bool {
	t := &w.rules.Types[typ]
	if !w.m.In(at) || t.Feature.MapOnly() {
		return false
	}
	switch t.Class {
	case rules.ClassStructure:
		foot := footOf(t, at.Center())
		return w.footFree(typ, foot, 0) && !w.crowded(t, foot, w.newborns)
	case rules.ClassUnit:
		inWay := func(o *Entity) bool {
			return w.touches(o, t, at.Center()) || o.class == rules.ClassResource && t.Move != grid.Air && !o.dying && o.Tile() == at
		}
		return w.passable(t, at) && !slices.ContainsFunc(w.all, inWay) && !slices.ContainsFunc(w.newborns, inWay)
	}
	return false
}
