package room

import (
	"context"
	"slices"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby/core"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/replay"
)

// Start is the beginning of a match, ready to be played on.
type Start struct {
	Out   []int  // start points whose players are out by then
	Setup []byte // for [model.Matches.Start]; the store keeps it with the lobby
}

// StartBytesMax bounds [Start.Setup].
const StartBytesMax = 20 << 20

// Starts makes beginnings of matches; cmd adapts it. Its methods are called from any
// goroutine and never inside a transaction.
type Starts interface {
	// Branch returns a match's state at a tick. An [model.Error] says why it cannot be played
	// on: [model.BadTick], [model.MatchOver], [model.ReplayVersion], [model.ReplayExpired],
	// [model.UnknownMap], [model.Busy].
	Branch(ctx context.Context, m model.Match, tick uint32) (Start, error)
	// Scenario reads a scenario's file, which may be anything of at most
	// [ScenarioBytesMax], and puts it on its map. An [model.Error] names the fault:
	// [model.BadScenario], with the place in the file as its field, [model.Busy].
	Scenario(ctx context.Context, file []byte) (Scene, error)
}

// Branch makes a lobby whose matches play on from a tick of a match that is over. It
// has the past match's seats; the account gets its own, or else the first seat that is
// not out. The account needs the right to watch the match's replay.
func (s *Service) Branch(ctx context.Context, c model.Client, a model.Account, id model.MatchID, key model.Secret, tick uint32) (*model.Lobby, error) {
	payer := quota.Payer{Account: string(a.ID), Address: c.Address}
	if err := s.Spent(quota.Branches, payer); err != nil {
		return nil, err
	}
	r, err := s.Replay.MayWatch(ctx, c, a.ID, id, key)
	switch {
	case err != nil:
		return nil, err
	case r.Watching.Live:
		return nil, model.MatchRuns
	case s.Starts == nil:
		return nil, model.ReplayExpired
	}
	if err := s.Write(ctx, func(tx *db.Tx) error { return s.SpendStored(tx, quota.Branches, payer) }); err != nil {
		return nil, err
	}
	start, err := s.Starts.Branch(ctx, r.Match, tick)
	if err != nil {
		return nil, s.Explain(err)
	}
	l := branchOf(&r, tick, start.Out)
	l.Created, l.Touched = s.Now(), s.Now()
	l.Name = model.CutText(a.Name, model.LobbyNameLenMax-len(playsOn)) + playsOn
	return s.enterStart(ctx, c, a, l, start.Setup)
}

// enterStart stores a new lobby together with the start of its matches, and lets its
// host in.
func (s *Service) enterStart(ctx context.Context, c model.Client, a model.Account, l *model.Lobby, setup []byte) (*model.Lobby, error) {
	if err := MayKeep(setup); err != nil {
		return nil, err
	}
	return s.enter(ctx, c, a, l.ID, func(*db.Tx) (*model.Lobby, error) {
		fresh := *l
		fresh.Seats = slices.Clone(l.Seats)
		return &fresh, nil
	}, JoinRequest{with: func(tx *db.Tx) error { return tx.Lobbies.AddStart(l.ID, setup) }})
}

// MayKeep refuses a beginning that is too large to be kept with a lobby.
func MayKeep(setup []byte) error {
	if len(setup) > StartBytesMax {
		return model.Refuse(model.TooLarge, "the state that the match begins with takes %d bytes, at most %d are kept", len(setup), StartBytesMax)
	}
	return nil
}

const playsOn = " plays on"

// branchOf returns the lobby, without players, that plays a match on. Only the right to
// watch the match ([replay.Service.MayPlayOn]) limits who joins, and the request has no
// seed: the luck of the match goes on.
func branchOf(r *replay.Replay, tick uint32, out []int) *model.Lobby {
	o := r.Spec.Options
	o.Whitelist, o.Seed = []string{}, "0"
	from := &model.Origin{Match: r.ID, Tick: tick, Seconds: int(tick) / max(1, o.TicksPerSecond)}
	for _, p := range r.Players {
		seat := model.OriginSeat{Start: p.Start, Team: p.Team, Color: p.Color, Account: p.Account, Name: p.Name, Out: slices.Contains(out, p.Start), Level: p.Level, Handicap: p.Handicap}
		if p.Gone {
			seat.Account = ""
		}
		from.Seats = append(from.Seats, seat)
	}
	l := &model.Lobby{ID: model.LobbyID(model.NewID()), Map: r.Spec.Map, State: model.Open, Options: o, SettingsVersion: 1, From: from}
	l.Limit = len(l.Places())
	return l
}

// StartSetup returns the start of a lobby's matches, as [Starts] made it.
func (s *Service) StartSetup(ctx context.Context, id model.LobbyID) (setup []byte, err error) {
	return core.Get(ctx, s.Core, func(tx *db.Tx) ([]byte, error) { return tx.Lobbies.Start(id) })
}
