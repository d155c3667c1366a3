package lobby

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/fogkeep/fogkeep/internal/budget"
	"github.com/fogkeep/fogkeep/match/grid"
)

// Origin is what the matches of a lobby begin from, in place of their mode's beginning:
// a tick of a match that is over, or a scenario. It does not change.
type Origin struct {
	Match    MatchID `json:"match,omitempty"` // "": a scenario
	Tick     uint32  `json:"tick,omitempty"`
	Seconds  int     `json:"seconds,omitempty"`  // of match time up to the tick
	Scenario string  `json:"scenario,omitempty"` // its name; "": a match
	// Seats are all seats of that match or scenario, by slot. Empty in a [Spec].
	Seats []OriginSeat `json:"seats,omitempty"`
}

// OriginSeat is a seat of the match that is played on, or of the scenario.
type OriginSeat struct {
	Slot    int       `json:"slot"` // start point, as [Seat.Slot]
	Team    grid.Team `json:"team"`
	Color   uint8     `json:"color"`
	Account AccountID `json:"account,omitempty"` // who played it
	Name    string    `json:"name"`              // who played it, or what the scenario calls it
	Out     bool      `json:"out,omitempty"`     // it was defeated, or had left, by then: nobody plays it
	Orders  bool      `json:"orders,omitempty"`  // the scenario has orders for it, which are given while nobody plays it
	Level   BotLevel  `json:"level,omitempty"`   // of the bot that played it; "": a person did, or the scenario says nothing
}

// botLevel is that of a bot that takes the place.
func (o *OriginSeat) botLevel() BotLevel {
	if o.Orders {
		return ScriptBot
	}
	return cmp.Or(o.Level, MediumBot)
}

// Start is the beginning of a match, ready to be played on.
type Start struct {
	Out   []int  // start points whose players are out by then
	Setup []byte // for [Matches.Start]; the store keeps it with the lobby
}

// StartBytesMax bounds [Start.Setup].
const StartBytesMax = 20 << 20

// Starts makes beginnings of matches; cmd adapts it. Its methods are called from any
// goroutine and never inside a transaction.
type Starts interface {
	// Branch returns what a match was at a tick. An [Error] says why it cannot be
	// played on: [BadTick], [MatchOver], [ReplayVersion], [ReplayExpired], [UnknownMap],
	// [Busy].
	Branch(ctx context.Context, m Match, tick uint32) (Start, error)
	// Scenario reads a scenario's file, which may be anything of at most
	// [ScenarioBytesMax], and puts it on its map. An [Error] says what is wrong with
	// it: [BadScenario], with the place in the file as its field, [Busy].
	Scenario(ctx context.Context, file []byte) (Scene, error)
}

// Branch makes a lobby whose matches play on from a tick of a match that is over. Its
// seats are those of that match; the account gets its own, or else the first that is
// not out. Who may watch the match's replay may do so.
func (s *Service) Branch(ctx context.Context, c Client, a Account, id MatchID, key Secret, tick uint32) (*Lobby, error) {
	who := budget.Who{Account: string(a.ID), Address: c.Address}
	if err := s.spent(budget.Branches, who); err != nil {
		return nil, err
	}
	r, err := s.MayWatch(ctx, c, a.ID, id, key)
	switch {
	case err != nil:
		return nil, err
	case r.Watching.Live:
		return nil, MatchRuns
	case s.Starts == nil:
		return nil, ReplayExpired
	}
	if err := s.write(ctx, func(tx Tx) error { return s.spend(tx, budget.Branches, who) }); err != nil {
		return nil, err
	}
	start, err := s.Starts.Branch(ctx, r.Match, tick)
	if err != nil {
		return nil, s.explain(err)
	}
	l := branchOf(&r, tick, start.Out)
	l.Created, l.Touched = s.Now(), s.Now()
	l.Name = cutText(a.Name, LobbyNameLenMax-len(playsOn)) + playsOn
	return s.enterStart(ctx, c, a, l, start.Setup)
}

// enterStart stores a new lobby together with what its matches begin with, and lets its
// host in.
func (s *Service) enterStart(ctx context.Context, c Client, a Account, l *Lobby, setup []byte) (*Lobby, error) {
	if err := mayKeep(setup); err != nil {
		return nil, err
	}
	return s.enter(ctx, c, a, l.ID, func(Tx) (*Lobby, error) {
		fresh := *l
		fresh.Seats = slices.Clone(l.Seats)
		return &fresh, nil
	}, Join{with: func(tx Tx) error { return tx.AddLobbyStart(l.ID, setup) }})
}

// mayKeep refuses a beginning that is too large to be kept with a lobby.
func mayKeep(setup []byte) error {
	if len(setup) > StartBytesMax {
		return refuse(TooLarge, "the state that the match begins with takes %d bytes, at most %d are kept", len(setup), StartBytesMax)
	}
	return nil
}

const playsOn = " plays on"

// branchOf returns the lobby, without players, that plays a match on. Nobody is kept out
// but by who may watch the match ([Service.mayPlayOn]), and no seed is asked for: the
// luck of the match goes on.
func branchOf(r *Replay, tick uint32, out []int) *Lobby {
	o := r.Spec.Options
	o.Whitelist, o.Seed = []string{}, "0"
	from := &Origin{Match: r.ID, Tick: tick, Seconds: int(tick) / max(1, o.TicksPerSecond)}
	for _, p := range r.Players {
		seat := OriginSeat{Slot: int(p.Slot), Team: p.Team, Color: p.Color, Account: p.Account, Name: p.Name, Out: slices.Contains(out, int(p.Slot)), Level: p.Level}
		if p.Gone {
			seat.Account = ""
		}
		from.Seats = append(from.Seats, seat)
	}
	l := &Lobby{ID: LobbyID(newID()), Map: r.Spec.Map, State: Open, Options: o, SettingsVersion: 1, From: from}
	l.Limit = len(l.places())
	return l
}

// places returns the seats of the match that is played on that somebody can play.
func (l *Lobby) places() []OriginSeat {
	return slices.DeleteFunc(slices.Clone(l.From.Seats), func(o OriginSeat) bool { return o.Out })
}

// place returns the place of a start point that somebody can play.
func (l *Lobby) place(slot int) (OriginSeat, bool) {
	for _, o := range l.From.Seats {
		if o.Slot == slot && !o.Out {
			return o, true
		}
	}
	return OriginSeat{}, false
}

// freePlace returns the free place for an account: the one that it played, or the first.
// A place for which the scenario has orders comes after all others.
func (l *Lobby) freePlace(a AccountID) (OriginSeat, bool) {
	var first OriginSeat
	found := false
	for _, o := range l.places() {
		if l.seatAt(o.Slot) >= 0 {
			continue
		}
		if a != "" && o.Account == a {
			return o, true
		}
		if !found || first.Orders && !o.Orders {
			first, found = o, true
		}
	}
	return first, found
}

// claim moves a player to another free place of the match that is played on.
func (l *Lobby) claim(seat *Seat, slot int) error {
	if l.From == nil {
		return refuse(WrongState, "seats are chosen only in a lobby that plays a match on, or a scenario")
	}
	o, ok := l.place(slot)
	if !ok {
		return NoSuchSeat
	}
	if i := l.seatAt(slot); i >= 0 && l.Seats[i].Account != seat.Account {
		return refuse(LobbyFull, "this seat is taken")
	}
	seat.Slot, seat.Team, seat.Color, seat.Ready = o.Slot, o.Team, o.Color, false
	return nil
}

// fillPlaces gives a bot each place that nobody has taken: all that were not out play on.
// The bot is as strong as the one that played there before. A place for which the
// scenario has orders is played by those.
func (l *Lobby) fillPlaces() {
	if l.From == nil {
		return
	}
	for _, o := range l.places() {
		if l.seatAt(o.Slot) < 0 {
			l.seatBot(o, o.botLevel())
		}
	}
}

// seatBot gives a bot a place.
func (l *Lobby) seatBot(o OriginSeat, level BotLevel) {
	name := botName(o.Slot)
	if level == ScriptBot {
		name = o.Name
	}
	l.insertSeat(Seat{Slot: o.Slot, Kind: BotSeat, Name: name, Team: o.Team, Color: o.Color, Level: level, Ready: true})
}

// errPlaysOn refuses a change of what the match that is played on, or the scenario, has
// settled.
var errPlaysOn = refuse(WrongState, "this lobby plays a match on, or a scenario, which settles its map, rules, teams and colours")

// settled reports whether two lobbies' options differ in what the match that is played on
// has settled: whatever the simulation goes by.
func settled(a, b *Options) bool {
	for i := range OptionTable {
		d := &OptionTable[i]
		simulated := d.Field != "" || slices.Contains([]string{"ruleset", "ticksPerSecond", "occlusion", "seed", "teams"}, d.Name)
		if simulated && !sameOption(d.Value(a), d.Value(b)) {
			return false
		}
	}
	return true
}

func sameOption(a, b any) bool {
	switch a := a.(type) {
	case *int:
		return *a == *b.(*int)
	case *bool:
		return *a == *b.(*bool)
	case *string:
		return *a == *b.(*string)
	}
	return true
}

// mayPlayOn refuses an account that may not watch the match which is played on: who
// plays there, or watches, is shown what teams of that match knew. A link that holds
// opens the lobby to everybody who finds it. A scenario is nobody's past.
func (s *Service) mayPlayOn(tx Tx, from *Origin, a *Account) error {
	if from == nil || from.Match == "" {
		return nil
	}
	m, err := tx.Match(from.Match)
	if err == nil {
		_, err = s.watching(tx, &m, a, m.ReplayLinks+1)
	}
	if errors.Is(err, ErrNotFound) || errors.Is(err, NotFound) {
		return refuse(NotOpen, "this lobby plays a match on: only those can join who may watch that match")
	}
	return err
}

// StartSetup returns what the matches of a lobby begin with, as [Starts] made it.
func (s *Service) StartSetup(ctx context.Context, id LobbyID) (setup []byte, err error) {
	err = s.read(ctx, func(tx Tx) error {
		setup, err = tx.LobbyStart(id)
		return err
	})
	return setup, err
}
