package sim

import (
	"encoding/binary"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
)

// rulesetMode plays a mode that the ruleset declares. It is a [Mode] like the modes of programs, and has the same bounds:
// one call spawns at most [ModeSpawnsMax] units. Its memory are the teams and players for which triggers that act once
// have acted.
type rulesetMode struct{ def *rules.Mode }

func ofRuleset(def *rules.Mode) registeredMode {
	r := registeredMode{name: def.Name, mode: rulesetMode{def}, open: def.OpenScores}
	for _, v := range def.Values {
		r.values = append(r.values, ModeValue(v))
	}
	return r
}

func (rulesetMode) Check(o Options) error {
	if o.ScoreLimit != 0 {
		return optionError("score limit", "modes of a ruleset have none: their triggers end the match")
	}
	return nil
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

func (m rulesetMode) Begin(w ModeWorld) error {
	err := w.SetBlob(make([]byte, m.memory(w.world())))
	if m.def.Script != nil {
		scriptOf(w, m.def).begin()
	}
	return err
}

// Areas lists the areas that are in the same place for all.
func (m rulesetMode) Areas(on *grid.Map) (out []ModeArea) {
	for i := range m.def.Areas {
		if a := &m.def.Areas[i]; !a.AtStart {
			out = append(out, ModeArea{a.Name, areaMiddle(on, a), a.Radius})
		}
	}
	return out
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

// Tick runs the triggers in the order of the file. If several teams win in one tick, the match is a draw.
func (m rulesetMode) Tick(mw ModeWorld) {
	w := mw.world()
	m.out(w)
	m.comeBack(mw)
	done := mw.Blob()
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
					m.act(mw, a, &s)
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
	_ = mw.SetBlob(done) // of the size that it had
	if m.def.Script != nil {
		scriptOf(mw, m.def).tick()
	}
	if reason != "" {
		mw.End(winner, reason)
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
			if e.class != rules.ClassUnit || e.gone || e.team == grid.NoTeam || e.Pos().Sub(at.Center()).Len() > r {
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
func (m rulesetMode) act(mw ModeWorld, a *rules.Action, s *subject) {
	w := mw.world()
	switch a.Kind {
	case rules.ActionAdd, rules.ActionSet:
		n := int64(a.Amount)
		if a.Kind == rules.ActionAdd {
			n += int64(w.guest.values[a.Of][s.team])
		}
		w.guest.values[a.Of][s.team] = int32(min(max(n, 0), ModeScoreMax))
	case rules.ActionDefeat:
		for _, p := range s.players {
			mw.Defeat(p.slot)
		}
	case rules.ActionGive:
		for _, p := range s.players {
			mw.Give(p.slot, w.rules.Resources[a.Of], max(a.Amount, -p.stock[a.Of]))
		}
	case rules.ActionReveal:
		for _, at := range m.middles(w, a.Area, s) {
			mw.Reveal(s.team, at, a.Sight, grid.Ticks(max(1, int64(a.DurationMs)*int64(w.rate)/1000)))
		}
	case rules.ActionScore:
		mw.AddScore(s.players[0].slot, a.Amount)
	case rules.ActionSpawn:
		r := int16(m.def.Areas[a.Area].Radius / grid.WUPerTile)
		for i, at := range m.middles(w, a.Area, s) {
			for k, p := range s.players {
				if m.def.Areas[a.Area].AtStart && i != k {
					continue // each player at the player's own start
				}
				m.spawn(mw, a.Of, a.Amount, p.slot, at, r)
			}
		}
	}
}

// spawn makes units of a type, from the middle of a circle outwards. It reports whether all had room.
func (m rulesetMode) spawn(mw ModeWorld, typ int, left int32, s grid.Slot, at grid.Tile, r int16) bool {
	name := mw.world().rules.Types[typ].Name
	for n := range r + 1 {
		for tile := range at.Ring(n) {
			if _, ok := mw.Spawn(s, name, tile); ok {
				left--
			}
			if left == 0 {
				return true
			}
		}
	}
	return false
}
