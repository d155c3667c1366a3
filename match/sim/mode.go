package sim

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
)

// GameMode is the rules of a kind of match. It has no state of its own: the world holds a
// mode's memory, so that it is saved and hashed.
type GameMode interface {
	// Name is how options name the mode.
	Name() string
	// InitGame returns the fault in a match's options (an [OptionError]), or nil. It runs
	// before the match exists.
	InitGame(o Options) error
	// Init places the first entities of the match. If an entity has no room, the error is a
	// [StartError] and there is no match.
	Init(w *World) error
	// Tick decides defeats and the end, after everything else in a tick. An ending
	// that is not nil ends the match.
	Tick(w *World) *Ending
}

// Ending is a mode's verdict at the end of a match.
type Ending struct {
	Winner grid.Team // NoTeam: a draw
	Reason string
}

var shippedModes = []GameMode{deathmatch{}, skirmish{}}

// Modes lists the names of fogkeep's own modes. A match can have the modes of its ruleset too.
func Modes() (names []string) {
	for _, m := range shippedModes {
		names = append(names, m.Name())
	}
	return names
}

// modeOf returns the mode with that name: one of fogkeep or a mode of the ruleset, in this order. rs may be nil.
func modeOf(rs *rules.Ruleset, name string) (GameMode, error) {
	if name == "" {
		name = "skirmish"
	}
	for _, m := range shippedModes {
		if m.Name() == name {
			return m, nil
		}
	}
	all := Modes()
	if rs != nil {
		if def := rs.ModeByName(name); def != nil {
			return rulesetMode{def}, nil
		}
		for i := range rs.Modes {
			all = append(all, rs.Modes[i].Name)
		}
	}
	return nil, optionError("mode", "no %q; there are %v", name, all)
}

// OptionError is a fault in one option of a match.
type OptionError struct {
	Option string // in words: mode, tick rate, time limit, score limit, abandon time
	Why    string
}

func (e *OptionError) Error() string { return e.Option + ": " + e.Why }

func optionError(option, why string, args ...any) error {
	return &OptionError{option, fmt.Sprintf(why, args...)}
}

// Admit returns why a player may not take another seat of a match when taken of the
// seats are taken, or nil.
func Admit(rs *rules.Ruleset, o Options, seats, taken int) error {
	_, err := modeOf(rs, o.Mode)
	if err == nil && taken >= seats {
		err = fmt.Errorf("all %d seats are taken", seats)
	}
	return err
}

// defeat takes a player out of the match. Everything that it still owns is
// destroyed.
func (w *World) defeat(p *player) {
	if !p.alive {
		return
	}
	p.alive, p.out = false, w.tick
	lost := p.losses // an entity that goes with its player was not lost in a fight
	for _, e := range w.all {
		if e.slot == p.slot && !e.dying {
			w.kill(e)
		}
	}
	p.losses = lost
}

// teamsAlive returns the teams with a living player.
func (w *World) teamsAlive() grid.TeamSet {
	var s grid.TeamSet
	for i := range w.players {
		if p := &w.players[i]; p.alive {
			s = s.With(p.team)
		}
	}
	return s
}

// lastTeam ends the match when fewer than two of its first teams are left.
func (w *World) lastTeam(reason string) *Ending {
	alive := w.teamsAlive()
	switch {
	case alive == 0:
		return &Ending{grid.NoTeam, "nobody-left"}
	case alive&(alive-1) == 0 && len(w.startTeams()) > 1:
		return &Ending{grid.Team(bits.TrailingZeros16(uint16(alive))), reason}
	}
	return nil
}

// endReason returns why a team is the last one: "surrender" if a player gave up or left in
// this tick.
func (w *World) endReason() string {
	for i := range w.players {
		if p := &w.players[i]; !p.alive && p.out == w.tick && (p.leaver || p.gaveUp) {
			return "surrender"
		}
	}
	return "last-team"
}

// startTeams returns the teams that have seats.
func (w *World) startTeams() []grid.Team {
	var out []grid.Team
	for i := range w.players {
		if t := w.players[i].team; !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// timeUp ends the match at its time limit, for the team with the highest
// score; equal scores are a draw.
func (w *World) timeUp() *Ending {
	if w.opts.TimeLimitMs <= 0 || int64(w.tick)*1000 < int64(w.opts.TimeLimitMs)*int64(w.rate) {
		return nil
	}
	return &Ending{w.leader(), "time-limit"}
}

// keepers are the watchers for whom a match goes on without players.
type keepers uint8

const (
	keptByAdmin keepers = 1 << iota
	keptByWatchers
)

func (k *keepers) set(group keepers, on bool) {
	if *k &^= group; on {
		*k |= group
	}
}

// leftMs is how long a match goes on after its last player has left for good, and
// how long a match goes on that never had one.
const leftMs = 60_000

// abandoned ends a match to which no person has been connected for long. All absent players
// are defeated. If bots of one team are left, that team wins.
func (w *World) abandoned() *Ending {
	if w.opts.AbandonMs == 0 || w.peopled() {
		w.deserted = 0
		return nil
	}
	w.deserted++
	if !w.desertedFor(w.deserted) {
		return nil
	}
	for i := range w.players {
		if p := &w.players[i]; !p.bot {
			w.defeat(p)
		}
	}
	end := &Ending{grid.NoTeam, "abandoned"}
	if alive := w.teamsAlive(); alive != 0 && alive&(alive-1) == 0 {
		end.Winner = grid.Team(bits.TrailingZeros16(uint16(alive)))
	}
	return end
}

// desertedFor reports whether a match ends after so long without a connected person.
func (w *World) desertedFor(t grid.Ticks) bool {
	most := w.opts.AbandonMs
	if !w.Awaited() {
		most = min(most, leftMs)
	}
	return int64(t)*1000 >= int64(most)*int64(w.rate)
}

// AbandonedWithin reports whether the match ends in the next t ticks unless a person
// connects.
func (w *World) AbandonedWithin(t grid.Ticks) bool {
	return w.keeps == 0 && w.opts.AbandonMs != 0 && w.desertedFor(w.deserted+t)
}

// Awaited reports whether a human player may come back.
func (w *World) Awaited() bool {
	for i := range w.players {
		if p := &w.players[i]; !p.bot && p.alive && !p.leaver {
			return true
		}
	}
	return false
}

// peopled reports whether the match goes on for a connected player, an admin or a
// spectator.
func (w *World) peopled() bool {
	for i := range w.players {
		if p := &w.players[i]; p.online && !p.bot {
			return true
		}
	}
	return w.keeps != 0
}

// leader returns the team with the highest score, NoTeam if two share it.
func (w *World) leader() grid.Team {
	var score [grid.TeamsMax]int64
	for i := range w.players {
		score[w.players[i].team] += int64(w.players[i].score)
	}
	best, tie := grid.NoTeam, false
	for _, t := range w.startTeams() {
		switch {
		case best == grid.NoTeam || score[t] > score[best]:
			best, tie = t, false
		case score[t] == score[best]:
			tie = true
		}
	}
	if tie {
		return grid.NoTeam
	}
	return best
}

// finish ends the match.
func (w *World) finish(end *Ending) {
	w.addPoint()
	r := &Result{Tick: w.tick, Winner: end.Winner, Reason: end.Reason, Series: w.series}
	for i := range w.players {
		p := &w.players[i]
		r.Players = append(r.Players, PlayerResult{
			Slot: p.slot, Team: p.team, Won: p.team == end.Winner, Score: p.score, Killed: p.kills, Assists: p.assists, Lost: p.losses,
			Made: p.products, Gathered: p.gains, Left: p.leaver || !p.present, Out: p.out,
		})
	}
	w.result, w.out.Ended = r, r
	w.resultValues()
}
