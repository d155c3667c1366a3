package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/internal/clustertest"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/grid/mapfile"
	"github.com/fogkeep/fogkeep/match/journal"
)

// TestMorePlayersThanTeams: a match of sixteen teams and more players, from the lobby over
// a kill and the recovery to its end. With FOGKEEP_TEST_LONG=1 it is the largest one
// there is, of 64 players. (That everybody is sent what its team sees is tested in package
// match.)
func TestMorePlayersThanTeams(t *testing.T) {
	long(t)
	t.Parallel()
	players := grid.TeamsMax + 4
	if os.Getenv("FOGKEEP_TEST_LONG") != "" {
		players = grid.SlotsMax
	}
	ground := grid.NewMap("crowd", 160, 160)
	for i := range grid.SlotsMax {
		ground.Starts = append(ground.Starts, grid.Tile{X: int16(12 + i%8*19), Y: int16(12 + i/8*19)})
	}
	content := t.TempDir()
	if err := os.Mkdir(filepath.Join(content, "maps"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(content, "maps", "crowd.tmj"), mapfile.WriteTMJ(ground), 0o600); err != nil {
		t.Fatal(err)
	}
	p := newProcess(t, append([]string{"--content-dir", content, "--limit", "new-guests.address=0"}, clustertest.BelieveAddresses...)...)
	p.start()
	p.open()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Second)
	defer cancel()
	m, err := clustertest.NewMatch(ctx, clustertest.MatchConfig{Name: "crowd", URLs: []string{p.URL}, Players: players, Seed: 64})
	if err != nil {
		t.Fatalf("%v\n%s", err, p.Output(4000))
	}
	defer m.Close()
	in := map[grid.Team]int{}
	for _, c := range m.Players {
		in[c.Team()]++
		if n := len(c.Players()); n != players {
			t.Errorf("%s is told of %d players", c.Name, n)
		}
	}
	for team := range grid.Team(grid.TeamsMax) {
		if n := in[team]; n < players/grid.TeamsMax || n > (players+grid.TeamsMax-1)/grid.TeamsMax {
			t.Errorf("%d players are in team %d", n, team)
		}
	}
	p.Kill()
	p.start()
	if err := m.Playing(ctx, 5); err != nil {
		t.Fatalf("%v\n%s", err, p.Output(4000))
	}
	for _, c := range m.Players {
		if c.Team() != 0 {
			c.Quit()
		}
	}
	if err := m.Wait(ctx); err != nil {
		t.Fatalf("%v\n%s", err, p.Output(4000))
	}
	for _, c := range m.Players {
		if w := c.Ended().Winners; len(w) != 1 || w[0] != 0 {
			t.Errorf("%s saw %v win, not team 0", c.Name, w)
		}
	}
	p.Stop(20 * time.Second)
	sum, err := journal.Walk(p.Journal(m.ID), nil)
	if err != nil || sum.Ended == nil {
		t.Errorf("the journal does not have the end: %v", err)
	}
}
