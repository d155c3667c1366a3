package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/internal/clustertest"
	"github.com/fogkeep/fogkeep/internal/clustertest/faults"
	"github.com/fogkeep/fogkeep/internal/eventually"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/view"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// watchLate lets a late spectator watch the first match while everything breaks: tickets
// come from one node, and the next one shows the match, on any node. The returned function ends the match and looks
// at the watched frames.
func watchLate(t *testing.T, ctx context.Context, s *faults.Scene) func(end func()) {
	t.Helper()
	m := s.Matches[0]
	v, err := clustertest.NewSpectator(ctx, "late", s.URLs(), m)
	if err != nil {
		t.Fatal(err)
	}
	watching, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		v.Run(watching)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return func(end func()) {
		t.Helper()
		last, _ := m.Players[0].Frame() // after the last fault
		at, closed := v.Tick(), v.Closed()
		eventually.Holds(t, fmt.Sprintf("the spectator sees tick %d", last), func() bool {
			at, closed = v.Tick(), v.Closed()
			return at >= last
		}, &at, &closed)
		end()
		select {
		case <-done:
		case <-time.After(20 * time.Second):
			t.Error("the viewing of a match that is over does not end")
			cancel()
			<-done
		}
		frames, _, opened, wrong := v.Shown()
		t.Logf("late spectator: opened %d times, frames by node %v, to tick %d, closed with %q", opened, frames, v.Tick(), v.Closed())
		if wrong != nil {
			t.Error(wrong)
		}
		// Nodes were killed under it. Whether another one or the same showed it the match
		// after that is chance; [watchAgain] goes from node to node.
		if code := v.Closed(); code != "match_over" && code != "match_runs" && code != "ended" || opened < 2 {
			t.Errorf("it was sent away with %q after it was opened %d times, at %v", code, opened, frames)
		}
	}
}

// watchAgain watches the first match once it is over: the ticket of one node, shown by
// another, by a third one after that was killed. It holds the content of the journal.
func watchAgain(t *testing.T, ctx context.Context, s *faults.Scene) {
	t.Helper()
	m, urls := s.Matches[0], s.URLs()
	v, err := clustertest.NewViewer(ctx, "again", urls, m.Host, m.ID)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { v.Close() }()
	if err := v.Open(ctx, urls[0], urls[1]); err != nil {
		t.Fatal(err)
	}
	last := grid.Tick(v.State().Welcome.Replay.Last)
	at := last / 2
	look := func(node string) {
		t.Helper()
		control := &pb.ReplayControl{Paused: proto.Bool(true), Seek: proto.Uint32(uint32(at)), Eyes: proto.Uint32(1)}
		if err := v.Control(control); err != nil {
			t.Fatalf("%s: %v", node, err)
		}
		if got := v.State(); got.Tick() != at || got.Team() != 0 {
			t.Fatalf("%s: it shows tick %d with the eyes of %d", node, got.Tick(), got.Team())
		}
		sameAsJournal(t, s.Journal(ctx, m.ID), v, at)
	}
	look("the first node")
	s.Nodes[1].Kill()
	if _, err := v.Next(); err == nil { // what was on its way
		for err == nil {
			_, err = v.Next()
		}
	}
	v.Close()
	if err := v.Open(ctx, urls[2], urls[0]); err != nil {
		t.Fatal(err)
	}
	look("the second node")
	// Where players looked is known of ticks that other nodes ran.
	if err := s.Nodes[1].Start(); err != nil {
		t.Fatal(err)
	}
	if err := s.Nodes[1].Open(ctx); err != nil {
		t.Fatal(err)
	}
	v.Close()
	if err := v.Open(ctx, urls[0], urls[1]); err != nil { // the ones it had are forgotten with the process
		t.Fatal(err)
	}
	if err := v.Control(&pb.ReplayControl{Seek: proto.Uint32(1), Percent: proto.Uint32(1600)}); err != nil {
		t.Fatal(err)
	}
	for limit := time.Now().Add(60 * time.Second); v.State().Tick() < last && time.Now().Before(limit); {
		if _, err := v.Next(); err != nil {
			t.Fatal(err)
		}
	}
	_, cameras, _, wrong := v.Shown()
	if wrong != nil {
		t.Error(wrong)
	}
	t.Logf("replay: %d ticks, cameras moved %v", last, cameras)
	if len(slices.Collect(maps.Keys(cameras))) < len(m.Players) {
		t.Errorf("cameras of slots %v are shown, of %d players", cameras, len(m.Players))
	}
}

// sameAsJournal compares a viewer's state with the first team's eyes with a replay of the journal for the team at
// the tick.
func sameAsJournal(t *testing.T, read journal.Reader, v *clustertest.Viewer, at grid.Tick) {
	t.Helper()
	var p *view.Picture
	if _, _, err := journal.Replay(read, func(w *sim.World, _ sim.Outcome) error {
		if w.Tick() == at {
			p = view.TeamPicture(w, 0)
		}
		return nil
	}); err != nil || p == nil {
		t.Fatalf("the journal: %v, %v", p, err)
	}
	st, ghosts := v.State(), 0
	for i := range p.Things {
		th := &p.Things[i]
		if th.Ghost {
			ghosts++
			continue
		}
		e := st.Replica.Entities[grid.Handle(th.Key)]
		if e == nil || e.Owner != th.Slot || st.Welcome.Types[e.Type].Name != th.Type || !st.Replica.Pos(e, at).Within(th.Pos, 2*view.ToleranceDefault) {
			t.Errorf("tick %d: %s of slot %d at %v, handle %d: it holds %+v", at, th.Type, th.Slot, th.Pos, th.Key, e)
		}
	}
	if units := len(p.Things) - ghosts; len(st.Replica.Entities) != units || len(st.Replica.Ghosts) != ghosts || units == 0 {
		t.Errorf("tick %d: it holds %d entities and %d ghosts, want %d and %d", at, len(st.Replica.Entities), len(st.Replica.Ghosts), units, ghosts)
	}
	for i := range p.Visible {
		if tile := (grid.Tile{X: int16(i % v.Map.W), Y: int16(i / v.Map.W)}); st.Visible(tile) != p.Visible[i] {
			t.Fatalf("tick %d: tile %v is seen %v, want %v", at, tile, st.Visible(tile), p.Visible[i])
		}
	}
}
