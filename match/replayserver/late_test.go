package replayserver

import (
	"bytes"
	"reflect"
	"slices"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/match/feed"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/playback"
	"github.com/fogkeep/fogkeep/match/shared"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/sim/simtest"
	"github.com/fogkeep/fogkeep/match/view"
	"github.com/fogkeep/fogkeep/orders"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// lateDelay is how late the tests' spectators are.
const lateDelay = 4 * time.Second

const lateDelayTicks = 80

// branchAt is a tick from which other matches play on.
const branchAt = 120

// hidden plays a match in which the second team does something out of the first one's
// sight; in the fork it does something else, at other ticks, and what stands where the
// first team's artillery fires unseen dies of it.
func hidden(t *testing.T, fork bool) *original {
	t.Helper()
	base := played(t)
	o := &original{setup: base.setup}
	w, err := sim.New(o.setup)
	if err != nil {
		t.Fatal(err)
	}
	edit := simtest.Edit(w)
	add := func(slot grid.Slot, name string, at grid.Tile) *sim.Entity {
		typ, _ := o.setup.Rules.TypeByName(name)
		e := edit.Add(slot, typ, at.Center())
		if e == nil {
			t.Fatal("no room for a ", name)
		}
		return e
	}
	dark, at := grid.Tile{X: 29, Y: 24}, grid.Tile{X: 44, Y: 44}
	if fork {
		at = dark
	}
	edit.SetHealth(add(1, "wall", at), 5)
	edit.Order(add(0, "artillery", grid.Tile{X: 20, Y: 20}), orders.AttackGround, dark.Center(), false)
	o.setup.Start = w.Save(nil)
	head := journal.Header{Match: testMatch, Build: "test", Start: &journal.StartOf{}, Extra: []byte(`{"seats":[{"Name":"Ada","Account":"a"},{"Name":"Bob","Account":"b"}]}`)}
	if o.records, err = journal.SetupRecords(head, o.setup); err != nil {
		t.Fatal(err)
	}
	o.ticks = make([]grid.Tick, len(o.records))
	o.note(w)
	died := 0
	worker := uint16(0)
	for i, typ := range o.setup.Rules.Types {
		if typ.Carry > 0 {
			worker = uint16(i)
		}
	}
	every, to := 16, grid.Tile{X: 40, Y: 40}
	if fork {
		every, to = 9, grid.Tile{X: 35, Y: 41}
	}
	var seq [2]uint32
	for n := range testTicks {
		var in []sim.Input
		order := func(slot grid.Slot, what orders.Order) {
			for h := range grid.Handle(30) {
				what.Units = append(what.Units, h+1)
			}
			seq[slot]++
			in = append(in, sim.Input{Kind: sim.InputOrder, Slot: slot, Seq: seq[slot], AsOf: w.Tick(), Order: what})
		}
		if n%40 == 10 {
			order(0, orders.Order{Kind: orders.Move, HasPoint: true, Point: grid.Tile{X: int16(8 + n/20), Y: 14}.Center()})
		}
		if n%every == 5 {
			order(1, orders.Order{Kind: orders.Move, HasPoint: true, Point: to.Center()})
			order(1, orders.Order{Kind: orders.Train, Type: worker})
		}
		if fork && n%50 == 7 {
			seq[1]++
			in = append(in, sim.Input{Kind: sim.InputChat, Slot: 1, Seq: seq[1], Text: "between us"})
		}
		out := w.Step(in)
		for _, e := range w.Events() {
			died += bit(e.Kind == sim.EventDied && !e.Seen.Has(0) && e.By == 0)
		}
		rec := journal.Tick{Tick: out.Tick, Inputs: in, Answers: out.Answers, Hashed: out.Hashed, Hash: out.Hash}
		if !rec.Empty() {
			o.records, o.ticks = append(o.records, journal.AppendTick(nil, &rec)), append(o.ticks, out.Tick)
		}
		o.note(w)
		if out.Tick == branchAt {
			o.state = w.Save(nil)
		}
	}
	if died != bit(fork) {
		t.Fatalf("the first team destroyed %d things unseen", died)
	}
	return o
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// seenLate is all that a late spectator was told, in an order of its own asking.
type seenLate struct {
	frames   [][]byte
	statuses [][]byte
	timeline *pb.ReplayTimeline // all parts joined
	last     []uint32           // as the journal grew
}

// watchLate watches a match that runs, late, with the first team's eyes: while its
// journal grows, then each tick up to the delay, forwards and back.
func watchLate(t *testing.T, o *original) seenLate {
	t.Helper()
	h := newStand(t, func(_ *Config, l *playback.Config) {
		list := noted{camera(3, 0, 10, 10, 8)}
		for i, at := range o.ticks { // the second player looks where it acts
			list = append(list, camera(at, 1, int16(i), 5, 7))
		}
		l.Notes = list
	})
	log := h.write(o, 60, false)
	w := h.watch(o, shared.Right{Match: testMatch, Account: "w", Live: true, Delay: lateDelay, Eyes: 0}, true)
	r := w.state.Welcome.Replay
	if !r.Live || !r.EyesFixed || w.state.Welcome.Team != 0 || w.state.Welcome.DelayTicks != lateDelayTicks || r.Last != 0 {
		t.Fatalf("welcome %v", r)
	}
	var out seenLate
	if f := w.read(func(f *wire.ServerFrame) bool { return f.Waiting != nil }); f.Waiting.Ticks != lateDelayTicks+1-60 {
		t.Errorf("it waits for %d ticks", f.Waiting.Ticks)
	}
	var v *viewing
	for x := range h.service.viewings {
		v = x
	}
	// The journal grows record by record, and the last shown tick does not depend on the kinds of records.
	for to := grid.Tick(61); to <= 215; to++ {
		h.grow(o, log, to)
		if err := v.rec.Refresh(); err != nil {
			t.Fatal(err)
		}
		last := v.limit(time.Now())
		if last > max(0, to-min(to, lateDelayTicks)) {
			t.Fatalf("at tick %d it may be shown tick %d", to, last)
		}
		out.last = append(out.last, uint32(last))
	}
	const end = 200 - lateDelayTicks
	for w.state.Watching == nil || w.state.Watching.Last != end || w.state.Watching.Indexed != end {
		w.read(func(f *wire.ServerFrame) bool { return f.Replay != nil })
	}
	w.control(&pb.ReplayControl{Paused: proto.Bool(true), Seek: proto.Uint32(1 << 30), Eyes: proto.Uint32(0)})
	if w.state.Tick() != end || w.state.Team() != 0 {
		t.Errorf("sent as far as it goes, with all eyes, it stands at tick %d with the eyes of %d", w.state.Tick(), w.state.Team())
	}
	tell := func(c *pb.ReplayControl) {
		t.Helper()
		n := w.ask(c)
		status := w.read(func(f *wire.ServerFrame) bool { return f.Replay != nil && f.Replay.Done >= n }).Replay
		w.cameras = map[uint32]*pb.ReplayCamera{}
		b, err := proto.MarshalOptions{Deterministic: true}.Marshal(status)
		if err != nil {
			t.Fatal(err)
		}
		out.statuses = append(out.statuses, b)
		if w.state.Tick() == grid.Tick(status.Tick) && c.Seek == nil {
			return // it stands there already
		}
		for {
			raw, err := w.end.Read()
			if err != nil {
				t.Fatal(err)
			}
			raw = bytes.Clone(raw)
			f, err := w.state.Receive(raw)
			if err != nil {
				t.Fatal(err)
			}
			if f.Timeline != nil {
				w.timeline = append(w.timeline, f.Timeline)
			}
			if f.IsFrame() {
				w.check(f.Diff.Snapshot)
				w.send(w.state.Ack())
				out.frames = append(out.frames, raw)
				return
			}
		}
	}
	tell(&pb.ReplayControl{Seek: proto.Uint32(1)})
	if w.state.Tick() != 2 {
		t.Fatalf("the first tick that is shown is %d", w.state.Tick())
	}
	for range end/2 - 1 {
		tell(&pb.ReplayControl{Step: proto.Int32(1)})
	}
	for at := uint32(end - 3); at > 5; at -= 3 {
		tell(&pb.ReplayControl{Seek: proto.Uint32(at)})
	}
	for pointsOf(w.timeline) < end/20+1 {
		w.read(func(f *wire.ServerFrame) bool { return f.Timeline != nil })
	}
	out.timeline = joined(t, w.timeline)
	return out
}

// joined returns the parts of a timeline as one: how a timeline is cut depends on when it
// is read.
func joined(t *testing.T, parts []*pb.ReplayTimeline) *pb.ReplayTimeline {
	t.Helper()
	all := &pb.ReplayTimeline{}
	points := uint32(0)
	for _, part := range parts {
		if len(part.Series) > 0 && part.Point != points {
			t.Fatalf("a part begins with point %d, the one before ended with %d", part.Point, points)
		}
		part := proto.CloneOf(part)
		for _, s := range part.Series {
			points = part.Point + uint32(len(s.Army))
			if i := slices.IndexFunc(all.Series, func(x *pb.ReplaySeries) bool { return x.Slot == s.Slot }); i >= 0 {
				proto.Merge(all.Series[i], s)
			} else {
				all.Series = append(all.Series, s)
			}
		}
		part.Series, part.Point = nil, 0
		proto.Merge(all, part)
	}
	return all
}

// TestALateReplayTellsNothingHidden: two matches differ in the second team's acts out of the first one's sight. A
// late spectator with the first team's eyes is told the same of both, byte for byte: frames, statuses, timeline,
// and how far the match is.
func TestALateReplayTellsNothingHidden(t *testing.T) {
	a, b := hidden(t, false), hidden(t, true)
	if !reflect.DeepEqual(a.eyes[0], b.eyes[0]) || reflect.DeepEqual(a.eyes[1], b.eyes[1]) || len(a.records) == len(b.records) {
		t.Fatal("the matches have to differ, and not for the first team")
	}
	x, y := watchLate(t, a), watchLate(t, b)
	same := func(what string, x, y [][]byte) {
		t.Helper()
		if len(x) != len(y) || len(x) < 90 {
			t.Fatalf("%s: %d and %d", what, len(x), len(y))
		}
		for i := range x {
			if !bytes.Equal(x[i], y[i]) {
				t.Fatalf("%s %d: %x and %x", what, i, x[i], y[i])
			}
		}
	}
	same("frames", x.frames, y.frames)
	same("statuses", x.statuses, y.statuses)
	if !proto.Equal(x.timeline, y.timeline) {
		t.Errorf("timelines %v and %v", x.timeline, y.timeline)
	}
	if len(x.timeline.Series) == 0 {
		t.Error("nothing is told of the own team")
	}
	for _, s := range x.timeline.Series {
		if s.Slot != 0 {
			t.Errorf("a series of slot %d is told", s.Slot)
		}
	}
	for i := range x.last {
		if x.last[i] != y.last[i] {
			t.Errorf("when tick %d has records, the last tick is %d and %d", 61+i, x.last[i], y.last[i])
		}
	}
}

// TestABranchTellsNothingHidden: two matches that differ in the second team's acts out of the first one's sight are
// played on from one tick. The first team's new clients are sent the same by both, byte for byte; the second team's
// are not.
func TestABranchTellsNothingHidden(t *testing.T) {
	frames := func(o *original, team grid.Team) (out []byte) {
		setup, err := sim.Branch(o.setup, o.state, o.setup.Players)
		if err != nil {
			t.Fatal(err)
		}
		w, err := sim.New(setup)
		if err != nil {
			t.Fatal(err)
		}
		m := feed.NewMatch(setup.Map, setup.Rules, len(setup.Players))
		m.TickRate = setup.TickRate
		f, cache, base := m.ForPlayers(), view.NewCache(w), grid.Tick(0)
		f.Attend(team)
		for range 40 {
			w.Step(nil)
			cache.Prepare(w)
			f.Look(feed.Source{World: w, Cache: cache})
			out, _ = f.AppendFrame(out, team, base, feed.Form{})
			base = w.Tick()
		}
		return out
	}
	a, b := hidden(t, false), hidden(t, true)
	if x, y := frames(a, 0), frames(b, 0); !bytes.Equal(x, y) || len(x) < 200 {
		t.Errorf("the first team is sent %d bytes and %d others", len(x), len(y))
	}
	if bytes.Equal(frames(a, 1), frames(b, 1)) {
		t.Error("the second team is sent the same: nothing was hidden")
	}
}

// TestALateReplayFollowsItsMatch: it plays on as the match does, and once that is over
// it plays to the end, as late as before.
func TestALateReplayFollowsItsMatch(t *testing.T) {
	o := played(t)
	h := newStand(t, nil)
	log := h.write(o, 100, false)
	w := h.watch(o, shared.Right{Match: testMatch, Account: "w", Live: true, Delay: lateDelay, Eyes: grid.NoTeam}, false)
	w.read(func(f *wire.ServerFrame) bool { return f.IsFrame() })
	if w.state.Tick() != 100-lateDelayTicks {
		t.Errorf("it begins at tick %d", w.state.Tick())
	}
	h.grow(o, log, 140)
	for w.state.Tick() < 140-lateDelayTicks {
		w.read(func(f *wire.ServerFrame) bool { return f.IsFrame() })
	}
	if w.snapshots != 1 {
		t.Errorf("%d snapshots", w.snapshots)
	}
	h.grow(o, log, testTicks)
	h.put(log, journal.FailedRecord("over"))
	over := time.Now()
	w.control(&pb.ReplayControl{Percent: proto.Uint32(1600), Seek: proto.Uint32(testTicks)})
	for w.state.Tick() < testTicks {
		f := w.read(func(f *wire.ServerFrame) bool { return f.IsFrame() })
		if beyond := grid.Tick(time.Since(over)*20/time.Second) + 21; w.state.Tick() > testTicks-lateDelayTicks+beyond {
			t.Fatalf("%v after the end it shows tick %d, %+v", time.Since(over), w.state.Tick(), f.Diff.Tick)
		}
	}
	w.read(func(f *wire.ServerFrame) bool { return f.Replay.GetState() == pb.ReplayState_REPLAY_STATE_ENDED })
}
