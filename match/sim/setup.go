package sim

import (
	"fmt"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim/nav"
)

// Player is one seat of a match; its index in [Setup.Players] is its slot.
type Player struct {
	Team     grid.Team
	Start    int           // index into the map's starts, each at most once
	Bot      bool          `json:",omitempty"` // no person: see [Options.AbandonMs]
	Faction  uint8         `json:",omitempty"` // of the ruleset, counted from 1; 0: no faction, which makes all types
	Income   int32         `json:",omitempty"` // more of each load that its workers bring, in percent, as long as a bot plays
	Handicap grid.Handicap `json:",omitzero"`
}

// IncomeMax bounds [Player.Income].
const IncomeMax = 100

// Options are the rules of one match that its players chose.
type Options struct {
	Mode        string // of [Modes]; "" is skirmish
	TimeLimitMs int32  // 0: no limit
	ScoreLimit  int32  // deathmatch: the score that wins, 0: no limit
	// The number of orders that a player may give, sustained per second and at once; 0: as
	// the ruleset says.
	OrdersPerSecond int32
	OrderBurst      int32
	// A match that no person has been connected to for so long ends; 0: it goes on.
	AbandonMs int32 `json:",omitempty"`
	// Leavers is the rule for the seat of a player who is gone; "": as the ruleset's hand_over says.
	Leavers  Leavers `json:",omitempty"`
	NoReveal bool    // a firing unit stays in the dark even where the ruleset reveals it
}

// Leavers is a rule for the seats of players who are gone: away for longer than the grace
// period, or for good. Under each rule a player who left for good is defeated if no
// team-mate plays on.
type Leavers string

// The rules.
const (
	LeaversAlly   Leavers = "ally"   // a present team-mate gets the units and the stock, until the player is back
	LeaversBot    Leavers = "bot"    // a bot plays the seat, until the player is back
	LeaversFreeze Leavers = "freeze" // the units stand idle
	LeaversDefeat Leavers = "defeat" // the player is out
)

// leavers returns the rule of the match; "": the units of players who are away stand idle.
func (w *World) leavers() Leavers {
	if w.opts.Leavers == "" && w.rules.Settings.HandOver {
		return LeaversAlly
	}
	return w.opts.Leavers
}

// Setup is everything a match begins with. Two worlds of one setup are the
// same world.
type Setup struct {
	Map      *grid.Map
	Rules    *rules.Ruleset
	Seed     uint64
	TickRate int // ticks a second; 0 is [grid.TickRateDefault]
	Players  []Player
	Options  Options
	// Ground is [World.Ground] of another match on Map, or nil. It saves memory and work, and changes no result.
	Ground *Ground
	// Start is the state that the match begins with, as [Branch] or [Stage] makes it. nil: the
	// match begins at tick 0 as its mode places it. Do not change it.
	Start []byte
}

// Ground is the data of a map for the searches for paths. It follows from the map alone.
type Ground = nav.Base

// Check returns the fault in the setup, naming the field, or nil. Admission asks it before
// a match exists. It refuses a player's choice with an [OptionError].
func (s *Setup) Check() error {
	switch {
	case s.Map == nil:
		return fmt.Errorf("map: missing")
	case s.Rules == nil:
		return fmt.Errorf("rules: missing")
	case s.Ground != nil && s.Ground.Map() != s.Map:
		return fmt.Errorf("ground: of another map")
	case s.TickRate != 0 && (s.TickRate < grid.TickRateMin || s.TickRate > grid.TickRateMax):
		return optionError("tick rate", "%d per second is outside %d to %d", s.TickRate, grid.TickRateMin, grid.TickRateMax)
	case len(s.Players) == 0:
		return fmt.Errorf("players: none")
	case len(s.Players) > grid.SlotsMax:
		return fmt.Errorf("players: %d, at most %d", len(s.Players), grid.SlotsMax)
	case s.Options.TimeLimitMs < 0:
		return optionError("time limit", "%d ms is negative", s.Options.TimeLimitMs)
	case s.Options.AbandonMs < 0:
		return optionError("abandon time", "%d ms is negative", s.Options.AbandonMs)
	case !slices.Contains([]Leavers{"", LeaversAlly, LeaversBot, LeaversFreeze, LeaversDefeat}, s.Options.Leavers):
		return optionError("leavers", "no rule %q: want ally, bot, freeze or defeat", s.Options.Leavers)
	case s.Options.ScoreLimit < 0:
		return optionError("score limit", "%d is negative", s.Options.ScoreLimit)
	case s.Options.OrdersPerSecond < 0 || s.Options.OrdersPerSecond > orderRateMax:
		return fmt.Errorf("orders per second: %d is outside 0 to %d", s.Options.OrdersPerSecond, orderRateMax)
	case s.Options.OrderBurst < 0 || s.Options.OrderBurst > orderRateMax:
		return fmt.Errorf("order burst: %d is outside 0 to %d", s.Options.OrderBurst, orderRateMax)
	case len(s.Start) > StartBytesMax:
		return fmt.Errorf("start: a state of %d bytes, at most %d", len(s.Start), StartBytesMax)
	}
	if err := s.Map.Check(); err != nil {
		return fmt.Errorf("map %q: %w", s.Map.Name, err)
	}
	taken := map[int]int{}
	for i, p := range s.Players {
		if p.Team >= grid.TeamsMax {
			return fmt.Errorf("player %d: team %d, there are %d", i, p.Team, grid.TeamsMax)
		}
		if p.Start < 0 || p.Start >= len(s.Map.Starts) {
			return fmt.Errorf("player %d: start %d, the map has %d", i, p.Start, len(s.Map.Starts))
		}
		if p.Income < 0 || p.Income > IncomeMax {
			return fmt.Errorf("player %d: income of %d percent more is outside 0 to %d", i, p.Income, IncomeMax)
		}
		if err := p.Handicap.Check(); err != nil {
			return fmt.Errorf("player %d: handicap: %w", i, err)
		}
		if int(p.Faction) > len(s.Rules.Factions) {
			return fmt.Errorf("player %d: faction %d, the ruleset has %d", i, p.Faction, len(s.Rules.Factions))
		}
		if other, again := taken[p.Start]; again {
			return fmt.Errorf("players %d and %d both begin at start %d", other, i, p.Start)
		}
		taken[p.Start] = i
	}
	mode, err := modeOf(s.Rules, s.Options.Mode)
	if err != nil {
		return err
	}
	return mode.InitGame(s.Options)
}

// orderRateMax bounds how many orders a player may be allowed.
const orderRateMax = 10_000

// teams returns the number of teams with masks: the highest team plus one.
func (s *Setup) teams() int {
	n := 0
	for _, p := range s.Players {
		n = max(n, int(p.Team)+1)
	}
	return n
}
