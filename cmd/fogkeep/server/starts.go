package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/room"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/grid/mapfile"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/playback"
	"github.com/fogkeep/fogkeep/match/replay"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/scenario"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/spec"
)

// starts makes the starts of matches that play on another match or a scenario, at the
// lobby's request. It makes one at a time, off every match's goroutine, and leaves the
// processor to others while it plays a match.
type starts struct {
	maps     mapCatalogue
	rulesets *rulesetLibrary
	library  *playback.Library
	log      *slog.Logger
	one      chan struct{} // room for the journal being played
}

var _ room.Starts = (*starts)(nil)

// Bounds of one beginning.
const (
	branchWait = 5 * time.Second  // for others to be done
	branchPlay = 20 * time.Second // for playing the match up to the tick
)

func newStarts(library *playback.Library, maps mapCatalogue, rulesets *rulesetLibrary, log *slog.Logger) *starts {
	return &starts{maps: maps, rulesets: rulesets, library: library, log: log, one: make(chan struct{}, 1)}
}

func (s *starts) Branch(ctx context.Context, m model.Match, tick uint32) (room.Start, error) {
	if err := s.take(ctx); err != nil {
		return room.Start{}, err
	}
	defer func() { <-s.one }()
	ctx, cancel := context.WithTimeout(ctx, branchPlay)
	defer cancel()
	out, err := s.branch(ctx, string(m.ID), grid.Tick(tick))
	if err != nil {
		return room.Start{}, s.refusal(m.ID, tick, err)
	}
	return out, nil
}

// take waits for the room that there is for one.
func (s *starts) take(ctx context.Context) error {
	wait := time.NewTimer(branchWait)
	defer wait.Stop()
	select {
	case s.one <- struct{}{}:
		return nil
	case <-wait.C:
		return model.Busy
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *starts) Scenario(ctx context.Context, file []byte) (room.Scene, error) {
	if err := s.take(ctx); err != nil {
		return room.Scene{}, err
	}
	defer func() { <-s.one }()
	read, err := scenario.Parse(file)
	var lab *scenario.Lab
	if err == nil {
		lab, err = read.Make(scenario.Library{
			Map: func(id string) (*grid.Map, bool) { return s.maps.Edition(id, "map") },
			Ruleset: func(id string) (*rules.Ruleset, bool) {
				rs, _, ok := s.rulesets.find(id)
				return rs, ok
			},
		})
	}
	if bad := (*scenario.Error)(nil); errors.As(err, &bad) {
		return room.Scene{}, &model.Error{Code: model.BadScenario, Field: bad.Path, Detail: bad.Why}
	}
	if err != nil {
		return room.Scene{}, err
	}
	s.maps.Publish(lab.Setup.Map) // for the page of the lobby
	return sceneOf(lab, s.maps)
}

// sceneOf packs a scenario for its lobby.
func sceneOf(lab *scenario.Lab, maps mapCatalogue) (room.Scene, error) {
	read, setup := lab.Scenario, lab.Setup
	o := model.DefaultOptions()
	o.Mode, o.Ruleset, o.TicksPerSecond = cmp.Or(setup.Options.Mode, o.Mode), read.Ruleset, setup.TickRate
	o.TimeLimitMinutes, o.ScoreLimit = int(setup.Options.TimeLimitMs+59_999)/60_000, int(setup.Options.ScoreLimit)
	o.RevealOnFire = !setup.Options.NoReveal
	out := room.Scene{Name: read.Name, Options: o}
	if read.MapID != "" {
		out.Map, _ = maps.Map(read.MapID)
	} else {
		out.Map = mapInfoOf(mapfile.Entry{Map: setup.Map, Hash: setup.Map.Hash()})
	}
	looks := make([]startSeat, len(read.Seats))
	for _, o := range lab.Script {
		looks[o.Slot].Orders = append(looks[o.Slot].Orders, o)
	}
	for i, seat := range read.Seats {
		looks[i].Color = uint8(i % model.ColorsMax)
		out.Seats = append(out.Seats, model.OriginSeat{Start: seat.Start, Team: seat.Team, Color: looks[i].Color, Name: seat.Name, Orders: len(looks[i].Orders) > 0})
		if seat.Bot {
			out.Bots = append(out.Bots, seat.Start)
		}
	}
	var err error
	out.Setup, err = packStart("lab", looks, &journal.StartOf{Scenario: read.Name}, setup)
	return out, err
}

// The lobby refuses larger ones before it reads them.
const _ = uint(scenario.BytesMax-room.ScenarioBytesMax) + uint(room.ScenarioBytesMax-scenario.BytesMax)

// branch plays a match to a tick and packs its state there.
func (s *starts) branch(ctx context.Context, match string, tick grid.Tick) (out room.Start, err error) {
	rec, err := s.library.Open(ctx, match, false)
	if err != nil {
		return out, err
	}
	defer rec.Close()
	if !rec.Over() {
		return out, model.MatchRuns
	}
	cursor, err := rec.Cursor()
	if err != nil {
		return out, err
	}
	if err := cursor.Seek(ctx, tick); err != nil {
		return out, err
	}
	setup, gone, err := cursor.Branch()
	if err != nil {
		return out, err
	}
	for i, p := range setup.Players {
		if gone.Has(grid.Slot(i)) {
			out.Out = append(out.Out, p.Start)
		}
	}
	looks := make([]startSeat, len(rec.Seats))
	for i, s := range rec.Seats {
		looks[i].Color = s.Color
	}
	out.Setup, err = packStart(rec.Header.Match, looks, &journal.StartOf{Match: rec.Header.Match}, setup)
	return out, err
}

// packStart packs a start for matchAdapter.begin.
func packStart(match string, looks []startSeat, of *journal.StartOf, setup sim.Setup) ([]byte, error) {
	extra, err := json.Marshal(looks)
	if err != nil {
		return nil, err
	}
	return journal.PackSetup(journal.Header{Match: match, Extra: extra, Start: of}, setup)
}

// startSeat is a seat's part of a packed setup beside the simulation's.
type startSeat struct {
	Color  uint8          `json:"color"`
	Orders []sim.Scripted `json:"orders,omitempty"` // that a scenario gives while the seat is free
}

// refusal puts an error into the lobby's words.
func (s *starts) refusal(id model.MatchID, tick uint32, err error) error {
	var outside *replay.RangeError
	var diverged *journal.DivergedError
	var other *journal.OtherBuildError
	var named *model.Error
	switch {
	case errors.As(err, &named):
		return err
	case errors.Is(err, model.MatchRuns), errors.Is(err, model.ReplayVersion):
		return err
	case errors.Is(err, fs.ErrNotExist):
		return model.ReplayExpired
	case errors.Is(err, playback.ErrFull):
		return &model.Error{Code: model.Busy, Detail: "as many replays are watched as the server has memory for: try again later", RetryAfter: time.Minute}
	case errors.As(err, &outside):
		return &model.Error{Code: model.BadTick, Field: "tick", Detail: fmt.Sprintf("the match has ticks %d to %d", outside.First, outside.Last)}
	case errors.Is(err, sim.ErrOver):
		return &model.Error{Code: model.BadTick, Field: "tick", Detail: "the match was over by then"}
	case errors.Is(err, context.DeadlineExceeded):
		return &model.Error{Code: model.Busy, Detail: "the match could not be played up to that tick in time: try an earlier one, or watch it first", RetryAfter: time.Minute}
	case errors.As(err, &diverged), errors.As(err, &other):
		s.log.Warn("a match cannot be played on", "match", id, "tick", tick, "error", err)
		return model.ReplayVersion
	}
	return fmt.Errorf("match %s: not played on from tick %d: %w", id, tick, err)
}

// begin lets a match begin from its lobby's start, which replaces played's map, rules and
// seats.
func (a *matchAdapter) begin(ctx context.Context, s model.Spec, played *spec.Match) error {
	packed, err := a.startSetup(ctx, s.Lobby)
	if err != nil {
		return err
	}
	h, setup, err := journal.ParseSetup(packed)
	if err != nil {
		return &model.Error{Code: model.ReplayVersion, Err: err}
	}
	var looks []startSeat
	if err := json.Unmarshal(h.Extra, &looks); err != nil || len(looks) != len(setup.Players) {
		return fmt.Errorf("match %s: its start's seats: %w", s.Match, err)
	}
	seats := make([]spec.Seat, len(setup.Players))
	players := make([]sim.Player, len(setup.Players))
	var script []sim.Scripted
	for i, p := range setup.Players {
		// A player who was out by then does not play.
		seats[i] = spec.Seat{Name: outName, Team: p.Team, Start: p.Start, Color: looks[i].Color, Bot: true}
		for k, q := range played.Seats {
			if q.Start != p.Start {
				continue
			}
			if seats[i] = q; s.Participants[k].Level == model.ScriptBot {
				script = append(script, looks[i].Orders...)
			}
		}
		seats[i].Faction, seats[i].Handicap = p.Faction, p.Handicap
		players[i] = sim.Player{Team: p.Team, Start: p.Start, Bot: seats[i].Bot, Faction: p.Faction, Income: seats[i].Income, Handicap: p.Handicap}
	}
	if s.From.Scenario != "" { // the server's own settings for every match
		o := &setup.Options
		o.OrdersPerSecond, o.OrderBurst, o.AbandonMs = played.Options.OrdersPerSecond, played.Options.OrderBurst, played.Options.AbandonMs
	}
	if setup, err = sim.Branch(setup, setup.Start, players); err != nil {
		return &model.Error{Code: model.ReplayVersion, Err: err}
	}
	a.maps.Publish(setup.Map) // it may be offered no more
	played.Map, played.Rules, played.Seed, played.TickRate, played.Options, played.Seats = setup.Map, setup.Rules, setup.Seed, setup.TickRate, setup.Options, seats
	played.Pack = a.rulesets.packs.packOf(setup.Rules.Hash)
	slices.SortStableFunc(script, func(a, b sim.Scripted) int { return cmp.Compare(a.Tick, b.Tick) })
	played.Start = &spec.Start{State: setup.Start, Match: string(s.From.Match), Scenario: s.From.Scenario, Script: script}
	return nil
}

// outName is the name of a seat whose player was out when the match was played on.
const outName = "out"
