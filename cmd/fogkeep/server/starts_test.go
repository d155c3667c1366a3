package server

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/grid/mapfile"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/playback"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
)

// pastMatch writes the journal of a match of three players: the first leaves at tick 30
// and the second at tick 50, which ends it. Its map is offered nowhere.
func pastMatch(t *testing.T, dir *journal.Dir, id string) {
	t.Helper()
	m := grid.NewMap("gone", 64, 64)
	m.Starts = []grid.Tile{{X: 10, Y: 10}, {X: 53, Y: 53}, {X: 10, Y: 53}, {X: 53, Y: 10}}
	set, err := rules.Shipped("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	setup := sim.Setup{Map: m, Rules: set, Seed: 9, TickRate: 20, Players: []sim.Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}, {Team: 2, Start: 3}}}
	records, err := journal.SetupRecords(journal.Header{Match: id, Extra: []byte(`{"seats":[{"Name":"Ada","Color":3},{"Name":"Bob","Color":5},{"Name":"Cy","Color":7}]}`)}, setup)
	if err != nil {
		t.Fatal(err)
	}
	w, err := sim.New(setup)
	if err != nil {
		t.Fatal(err)
	}
	for w.Result() == nil {
		var in []sim.Input
		switch w.Tick() {
		case 29:
			in = []sim.Input{{Kind: sim.InputLeft, Slot: 0}}
		case 49:
			in = []sim.Input{{Kind: sim.InputLeft, Slot: 1}}
		}
		out := w.Step(in)
		if rec := (journal.Tick{Tick: out.Tick, Inputs: in, Answers: out.Answers, Hashed: out.Hashed, Hash: out.Hash}); !rec.Empty() {
			records = append(records, journal.AppendTick(nil, &rec))
		}
	}
	log, err := dir.Create(id)
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range append(records, journal.EndedRecord(*w.Result())) {
		if err := log.Append(log.Next(), rec); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(log.Close(), dir.Retire(id)); err != nil {
		t.Fatal(err)
	}
}

// TestPlayOnFromAReplay: the start made of a journal is a match at its tick, with the
// lobby's seats, and no player where one was out.
func TestPlayOnFromAReplay(t *testing.T) {
	t.Parallel()
	dir, err := journal.OpenDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	const old, next = "01900000-0000-7000-8000-000000000001", "01900000-0000-7000-8000-000000000002"
	pastMatch(t, dir, old)
	past := playback.New(playback.Config{Journals: dir})
	t.Cleanup(past.Close)
	s := newStarts(past, mapCatalogue{}, nil, slog.New(slog.NewTextHandler(io.Discard, nil)))
	begin, err := s.Branch(t.Context(), model.Match{ID: old}, 40)
	if err != nil {
		t.Fatal(err)
	}
	if len(begin.Out) != 1 || begin.Out[0] != 0 {
		t.Errorf("out at tick 40: %v, want the player of start 0", begin.Out)
	}
	for tick, code := range map[uint32]model.Code{50: model.BadTick, 51: model.BadTick, 1 << 31: model.BadTick} {
		if _, err := s.Branch(t.Context(), model.Match{ID: old}, tick); !errors.Is(err, code) {
			t.Errorf("from tick %d: %v, want %s", tick, err, code)
		}
	}
	if _, err := s.Branch(t.Context(), model.Match{ID: next}, 4); !errors.Is(err, model.ReplayExpired) {
		t.Errorf("of no match: %v", err)
	}
	late, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	if _, err := s.Branch(late, model.Match{ID: old}, 45); err == nil {
		t.Error("a beginning is made for one who is gone")
	}

	if err := dir.Remove(old); err != nil { // the start made from it no longer needs it
		t.Fatal(err)
	}
	library, err := mapfile.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	rulesets, err := shippedRulesets()
	if err != nil {
		t.Fatal(err)
	}
	service := match.New(match.Config{Journals: dir})
	defer service.Close()
	a := &matchAdapter{Service: service, maps: mapCatalogue{mapfile.NewCatalogue(library)}, rulesets: rulesets, startSetup: func(_ context.Context, id model.LobbyID) ([]byte, error) {
		if id != "here" {
			return nil, model.NotFound
		}
		return begin.Setup, nil
	}}
	spec := model.Spec{
		Match: next, Lobby: "here", Options: model.DefaultOptions(), From: &model.Origin{Match: old, Tick: 40}, Map: model.MapInfo{ID: library.List()[0].ID},
		Participants: []model.Participant{{Start: 1, Name: "Eve", Account: "eve", Team: 1, Color: 5}, {Start: 3, Name: "Bot D", Bot: true, Team: 2, Color: 7}},
	}
	if _, err := a.Start(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	live := service.Matches()
	if len(live) != 1 || live[0].Tick < 40 || len(live[0].Seats) != 3 {
		t.Fatalf("live: %+v", live)
	}
	for i, want := range []string{outName, "Eve", "Bot D"} {
		if got := live[0].Seats[i]; got.Name != want {
			t.Errorf("seat %d is %q, want %q", i, got.Name, want)
		}
	}
	var h journal.Header
	if _, err := journal.ReadFile(dir.Path(next), func(n uint64, rec []byte) error {
		r, err := journal.Decode(rec)
		if n == 0 && err == nil {
			h = *r.Header
		}
		return err
	}); err != nil || h.Start == nil || h.Start.Match != old || h.First() != 40 || h.Seed != 9 {
		t.Errorf("the journal begins with %+v, %v", h, err)
	}
	if _, ok := a.maps.Public(live[0].Map.Hash()); !ok {
		t.Error("clients cannot fetch the map")
	}
	spec.Lobby = "closed"
	spec.Match = "01900000-0000-7000-8000-000000000003"
	if _, err := a.Start(t.Context(), spec); !errors.Is(err, model.NotFound) {
		t.Errorf("without what it begins with: %v", err)
	}
}
