package solo

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/internal/eventually"
	"github.com/fogkeep/fogkeep/match/client/socket"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/inspect"
	"github.com/fogkeep/fogkeep/match/inspectserver"
	"github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// until plays with a ticket until do is true of a frame's state.
func until(t *testing.T, s *Server, ticket string, do func(p *socket.Client, answer *fogkeepv1.ClientFrame) bool) *socket.Client {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	p := person(t, s, ticket)
	p.OnFrame = func(_ *wire.ServerFrame, answer *fogkeepv1.ClientFrame) {
		if do(p, answer) {
			cancel()
		}
	}
	if err := p.Run(ctx); err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	return p
}

// own counts the units of a slot that a client has.
func own(p *socket.Client, slot grid.Slot) (n int) {
	for _, e := range p.Replica.Entities {
		if e.Owner == slot {
			n++
		}
	}
	return n
}

// A match goes on in the next process where it was, with its bots and their level; it goes on too after its person has
// left it.
func TestAMatchIsContinued(t *testing.T) {
	folder, log := t.TempDir(), slog.New(slog.NewTextHandler(t.Output(), nil))
	s, err := Open(folder, log)
	if err != nil {
		t.Fatal(err)
	}
	maps := s.Maps()
	ticket, err := s.Start(Choice{Map: maps[len(maps)-1].ID, Bots: 2, Level: "hard", Name: "Ada"})
	if err != nil {
		t.Fatal(err)
	}
	before := until(t, s, ticket, func(p *socket.Client, _ *fogkeepv1.ClientFrame) bool { return p.Tick() >= 30 })
	if err := s.Leave(); err != nil {
		t.Fatal(err)
	}
	if n := len(s.matches.Matches()); n != 0 {
		t.Errorf("%d matches run without their person", n)
	}
	for round := range 2 {
		saves, err := s.Saves()
		if err != nil || len(saves) != 1 {
			t.Fatalf("%+v, %v", saves, err)
		}
		if got := saves[0]; got.Over || got.Bots != 2 || got.Level != "hard" || got.Map != maps[len(maps)-1].Name || got.Bytes == 0 || time.Since(time.UnixMilli(got.Started)) > time.Hour {
			t.Errorf("the save is %+v", got)
		}
		if ticket, err = s.Continue(); err != nil {
			t.Fatal(err)
		}
		first := grid.Tick(0)
		after := until(t, s, ticket, func(p *socket.Client, _ *fogkeepv1.ClientFrame) bool {
			if first == 0 {
				first = p.Tick()
			}
			return p.Tick() >= first+10
		})
		if after.Welcome.MatchId != before.Welcome.MatchId || first < 30 || after.Welcome.Players[0].Name != "Ada" || own(after, 0) == 0 {
			t.Errorf("round %d: match %s began again at tick %d", round, after.Welcome.MatchId, first)
		}
		eventually.Holds(t, "the bots come back", func() bool {
			in, ok := s.matches.Match(after.Welcome.MatchId)
			return ok && in.Seats[1].Connected && in.Seats[2].Connected
		})
		if round == 0 { // as a page that is loaded again
			s.Close()
			if s, err = Open(folder, log); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { s.Close() })
		}
	}
	// Another match ends it, and it stays to be watched.
	if err := s.Leave(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Start(Choice{Map: maps[0].ID, Bots: 1, Level: "easy"}); err != nil {
		t.Fatal(err)
	}
	if _, err = s.Continue(); err != nil { // the new one
		t.Fatal(err)
	}
	eventually.Holds(t, "the first match is over", func() bool {
		saves, err := s.Saves()
		return err == nil && len(saves) == 2 && !saves[0].Over && saves[0].Level == "easy" && saves[1].Over && saves[1].ID == before.Welcome.MatchId
	})
	shown := clientOf(s, s.Watch, before.Welcome.MatchId)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	shown.OnFrame = func(*wire.ServerFrame, *fogkeepv1.ClientFrame) { cancel() }
	if err := shown.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("the replay of a match that was given up: %v", err)
	}
	if err := s.Remove(s.running); err == nil {
		t.Error("the match that runs was deleted")
	}
	if err := s.Remove(before.Welcome.MatchId); err != nil {
		t.Error(err)
	}
	if saves, err := s.Saves(); err != nil || len(saves) != 1 {
		t.Errorf("after one was deleted: %+v, %v", saves, err)
	}
}

// Beyond the bounds the oldest matches are deleted; a journal that cannot be read is a line without a map.
func TestPastMatchesAreBounded(t *testing.T) {
	s := open(t)
	write := func(name string, bytes int) {
		if err := os.WriteFile(filepath.Join(s.folder, "past", name+".journal"), make([]byte, bytes), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i := range pastMax + 3 {
		write(string(rune('a'+i)), 10)
	}
	begin := func() []string {
		if _, err := s.Start(Choice{Map: s.Maps()[0].ID, Bots: 1, Level: "easy"}); err != nil {
			t.Fatal(err)
		}
		past, err := s.past()
		if err != nil {
			t.Fatal(err)
		}
		return past
	}
	if past := begin(); len(past) != pastMax || past[pastMax-1] != "d" {
		t.Errorf("%d matches are left: %v", len(past), past)
	}
	if saves, err := s.Saves(); err != nil || len(saves) != pastMax+1 || saves[0].Map != "" || saves[0].Bytes != 10 {
		t.Errorf("%+v, %v", saves, err)
	}
	write("y", pastBytesMax-500)
	if past := begin(); past[0] != "y" || len(past) > pastMax+1 || len(past) < 3 { // the match before may come late
		t.Errorf("%v are left", past)
	}
	write("z", pastBytesMax-500)
	if past := begin(); past[0] != "z" || past[len(past)-1] == "d" {
		t.Errorf("%v are left", past)
	}
}

func TestNothingToContinue(t *testing.T) {
	s := open(t)
	if _, err := s.Continue(); err == nil {
		t.Error("a match that never was")
	}
	if err := s.Leave(); err != nil {
		t.Error(err)
	}
	outside := filepath.Join(s.folder, "x.journal")
	if err := os.WriteFile(outside, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Remove("past/../x"); err == nil {
		t.Error("a match that is not listed was deleted")
	}
}

// The inspector tells the person of a live match who sees whom, and why.
func TestTheInspectorAnswers(t *testing.T) {
	s := open(t)
	ticket, err := s.Start(Choice{Map: s.Maps()[0].ID, Bots: 1, Level: "easy", Name: "Ada"})
	if err != nil {
		t.Fatal(err)
	}
	p := until(t, s, ticket, func(p *socket.Client, _ *fogkeepv1.ClientFrame) bool { return p.Tick() >= 5 })
	get := func(status int, path string, into any) {
		t.Helper()
		got, body, err := s.Inspect(path)
		if err != nil || got != status {
			t.Fatalf("%s: %d %s, %v", path, got, body, err)
		}
		if err := json.Unmarshal(body, into); err != nil {
			t.Fatal(err)
		}
	}
	at := inspectserver.Prefix + "/" + p.Welcome.MatchId
	var facts inspectserver.Facts
	get(200, at, &facts)
	if !facts.Live || len(facts.Players) != 2 || !facts.Players[1].Bot {
		t.Errorf("the facts are %+v", facts)
	}
	var all, mine inspect.State
	get(200, at+"/state", &all)
	get(200, at+"/state?eyes=0", &mine)
	if len(mine.Entities) == 0 || len(mine.Entities) >= len(all.Entities) {
		t.Errorf("of %d entities the person sees %d", len(all.Entities), len(mine.Entities))
	}
	var tile inspect.Tile
	get(200, at+"/tile?x=1&y=2&team=0", &tile)
	if tile.X != 1 || tile.Y != 2 {
		t.Errorf("the tile is %+v", tile)
	}
	for path, status := range map[string]int{
		inspectserver.Prefix + "/none": 404, at + "/none": 404, "/admin/api/x": 404, inspectserver.Prefix + "/a.b": 422,
		at + "/state?eyes=x": 422, at + "/state?tick=-2": 422, at + "/state?tick=x": 422, at + "/tile?x=1&team=0": 422,
		at + "/tile?x=1&y=2&team=16": 422, at + "/entity?id=-1": 422, at + "/entity?id=4294967296": 422, at + "/entity?id=0": 404,
		at + "/orders?kind=" + strings.Repeat("x", 33): 422,
	} {
		var no struct{ Code, Detail string }
		if get(status, path, &no); no.Code == "" || no.Detail == "" {
			t.Errorf("%s: %+v", path, no)
		}
	}
	if _, _, err := s.Inspect("\x7f"); err == nil {
		t.Error("no path")
	}
}
