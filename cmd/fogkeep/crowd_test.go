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
)

// TestSixtyFourPlayersInSixteenTeams: the largest match there is, from the lobby over a
// kill and the recovery to its end. Four players get into each team; what everybody was
// sent is what the journal says, unless somebody did not keep up.
func TestSixtyFourPlayersInSixteenTeams(t *testing.T) {
	t.Parallel()
	ground := grid.NewMap("crowd", 160, 160)
	for i := range grid.SlotsMax {
		ground.Starts = append(ground.Starts, grid.Tile{X: int16(12 + i%8*19), Y: int16(12 + i/8*19)})
	}
	maps := t.TempDir()
	if err := os.WriteFile(filepath.Join(maps, "crowd.tmj"), mapfile.WriteTMJ(ground), 0o600); err != nil {
		t.Fatal(err)
	}
	p := newProcess(t, append([]string{"--maps-dir", maps, "--limit", "new-guests.network=0"}, clustertest.BelieveAddresses...)...)
	p.start()
	p.open()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Second)
	defer cancel()
	m, err := clustertest.NewMatch(ctx, clustertest.MatchConfig{Name: "crowd", URLs: []string{p.URL}, Players: grid.SlotsMax, Seed: 64})
	if err != nil {
		t.Fatalf("%v\n%s", err, p.Output(4000))
	}
	defer m.Close()
	in := map[grid.Team]int{}
	for _, c := range m.Players {
		in[c.Team()]++
		if n := len(c.Players()); n != grid.SlotsMax {
			t.Errorf("%s is told of %d players", c.Name, n)
		}
	}
	for team := range grid.Team(grid.TeamsMax) {
		if n := in[team]; n != grid.SlotsMax/grid.TeamsMax {
			t.Errorf("%d players are in team %d", n, team)
		}
	}
	short := p.short(ctx)
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
	short += p.short(ctx)
	p.Stop(20 * time.Second)
	if short > 0 { // on a busy machine players do not keep up, and are sent a part of what they see
		t.Logf("%.0f frames had a part of what there was to tell: nothing is compared", short)
		return
	}
	r := clustertest.Verify(p.Journal(m.ID), m.Players, true)
	if r.Err() != nil {
		t.Error(r.Err())
	}
	if r.Accepted < grid.SlotsMax || r.Frames < grid.SlotsMax {
		t.Errorf("only %d orders were accepted, and %d frames compared", r.Accepted, r.Frames)
	}
	t.Logf("%d ticks, %d frames, %d orders accepted of %d", r.Ticks, r.Frames, r.Accepted, r.Orders)
}

// short returns how many frames had only a part of what there was to tell.
func (p *process) short(ctx context.Context) float64 {
	p.t.Helper()
	n, err := p.Counter(ctx, "fogkeep_match_frames_short_total")
	if err != nil {
		p.t.Fatal(err)
	}
	return n
}
