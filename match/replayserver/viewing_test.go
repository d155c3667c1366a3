package replayserver

import (
	"testing"

	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/playback"
	"github.com/fogkeep/fogkeep/match/shared"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// TestEveryFrameIsOfItsTick watches a match by random seeks, steps, speeds, pauses and
// eyes, on one socket and on two side by side. Each frame shows the knowledge of its eyes at its tick, no more and
// no less.
func TestEveryFrameIsOfItsTick(t *testing.T) {
	o := played(t)
	h := newStand(t, nil)
	h.write(o, testTicks, true)
	frames, snapshots := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		a := h.watch(o, anyEyes(), rapid.Bool().Draw(rt, "derives"))
		list := []*watcher{a}
		if rapid.Bool().Draw(rt, "beside") {
			list = append(list, h.beside(a, rapid.Bool().Draw(rt, "second derives")))
		}
		for range rapid.IntRange(2, 8).Draw(rt, "moves") {
			w := rapid.SampledFrom(list).Draw(rt, "who")
			switch rapid.IntRange(0, 6).Draw(rt, "move") {
			case 0:
				w.control(&pb.ReplayControl{Eyes: proto.Uint32(rapid.Uint32Range(0, 2).Draw(rt, "eyes"))})
			case 1:
				w.control(&pb.ReplayControl{Step: proto.Int32(rapid.Int32Range(-50, 50).Draw(rt, "step"))})
			case 2:
				w.control(&pb.ReplayControl{Percent: proto.Uint32(rapid.SampledFrom(percents[:]).Draw(rt, "percent")), Paused: proto.Bool(false)})
				if w.state.Watching.State != pb.ReplayState_REPLAY_STATE_ENDED {
					w.read(func(f *wire.ServerFrame) bool {
						return f.IsFrame() || f.Replay.GetState() == pb.ReplayState_REPLAY_STATE_ENDED
					})
				}
			case 3:
				w.control(&pb.ReplayControl{Paused: proto.Bool(rapid.Bool().Draw(rt, "paused"))})
			default:
				w.control(&pb.ReplayControl{Seek: proto.Uint32(rapid.Uint32Range(0, testTicks+50).Draw(rt, "seek"))})
			}
		}
		// In the end both stand at the same tick.
		a.control(&pb.ReplayControl{Paused: proto.Bool(true), Seek: proto.Uint32(rapid.Uint32Range(1, testTicks).Draw(rt, "last"))})
		for _, w := range list[1:] {
			for w.state.Tick() != a.state.Tick() {
				w.read(func(f *wire.ServerFrame) bool { return f.IsFrame() })
			}
		}
		for _, w := range list {
			frames += w.checked
			snapshots += w.snapshots
			w.end.Close()
			<-w.served
		}
	})
	if frames < 500 || snapshots < 100 {
		t.Errorf("%d frames and %d snapshots were looked at", frames, snapshots)
	}
	t.Logf("%d frames, %d of them snapshots", frames, snapshots)
}

// TestAReplayIsPlayedToItsEnd at full speed: frames come, chat to all is told once, the timeline is told in parts,
// and the state says that it is over.
func TestAReplayIsPlayedToItsEnd(t *testing.T) {
	o := played(t)
	h := newStand(t, func(_ *Config, l *playback.Config) {
		l.Notes = noted{camera(5, 0, 10, 11, 9), camera(200, 0, 30, 31, 9), camera(7, 1, 1, 2, 3)}
	})
	h.write(o, testTicks, true)
	right := anyEyes()
	right.Names = map[shared.AccountID]string{"a": "Ada Lovelace"}
	w := h.watch(o, right, true)
	in := w.state.Welcome
	if in.Players[0].Name != "Ada Lovelace" || in.Players[1].Name != DeletedName || !in.Spectator || in.Slot != 255 || in.Team != 255 {
		t.Errorf("welcome %+v", in)
	}
	if r := in.Replay; r == nil || r.MatchId != testMatch || r.Last != testTicks || r.First != 0 || r.Live || r.EyesFixed || !r.MayBranch {
		t.Errorf("replay %+v", in.Replay)
	}
	w.control(&pb.ReplayControl{Percent: proto.Uint32(9999)})
	if w.state.Watching.Percent != 1600 {
		t.Errorf("it plays at %d percent", w.state.Watching.Percent)
	}
	w.read(func(f *wire.ServerFrame) bool {
		s := w.state.Watching
		return w.state.Tick() == testTicks && s.State == pb.ReplayState_REPLAY_STATE_ENDED && s.Indexed == testTicks
	})
	if w.state.Tick() != testTicks || w.frames > testTicks/2 {
		t.Errorf("it ends at tick %d, after %d frames", w.state.Tick(), w.frames)
	}
	if len(w.said) != 0 {
		t.Errorf("a deleted account said %v", w.said)
	}
	if c := w.cameras[0]; c == nil || c.X != 30 {
		t.Errorf("the first player looks at %v", c)
	}
	orders, events := uint32(0), 0
	for pointsOf(w.timeline) < testTicks/20+1 {
		w.read(func(f *wire.ServerFrame) bool { return f.Timeline != nil })
	}
	for _, part := range w.timeline {
		events += len(part.Events)
		for _, s := range part.Series {
			orders = max(orders, append(s.Orders, 0)[max(0, len(s.Orders)-1)])
		}
	}
	if orders < 10 || events == 0 {
		t.Errorf("the timeline has %d orders and %d events", orders, events)
	}
	// With the names of the journal chat is told, once more after a seek back.
	w = h.watch(o, anyEyes(), false)
	for range 2 {
		w.control(&pb.ReplayControl{Seek: proto.Uint32(95), Percent: proto.Uint32(800), Paused: proto.Bool(false)})
		w.read(func(f *wire.ServerFrame) bool { return len(f.Said) > 0 })
	}
	for _, s := range w.said {
		if s.Text != "hello all" || !s.All || s.Slot != 1 {
			t.Errorf("said %v", s)
		}
	}
}

// pointsOf counts the points of the first player's series.
func pointsOf(parts []*pb.ReplayTimeline) (n int) {
	for _, p := range parts {
		for _, s := range p.Series {
			if s.Slot == 0 {
				n = int(p.Point) + len(s.Army)
			}
		}
	}
	return n
}

// TestEyesStayWhatTheyAre: a second socket has its own eyes, and a control of either
// holds for both.
func TestEyesStayWhatTheyAre(t *testing.T) {
	o := played(t)
	h := newStand(t, nil)
	h.write(o, testTicks, true)
	a := h.watch(o, anyEyes(), false)
	b := h.beside(a, false)
	a.control(&pb.ReplayControl{Eyes: proto.Uint32(1), Paused: proto.Bool(true)})
	b.control(&pb.ReplayControl{Eyes: proto.Uint32(2), Seek: proto.Uint32(120)})
	for a.state.Tick() != 120 || b.state.Tick() != 120 {
		a.read(func(f *wire.ServerFrame) bool { return f.IsFrame() })
	}
	if a.state.Team() != 0 || b.state.Team() != 1 {
		t.Errorf("eyes of %d and %d", a.state.Team(), b.state.Team())
	}
	// Unknown eyes count as all eyes.
	a.control(&pb.ReplayControl{Eyes: proto.Uint32(9)})
	if a.state.Team() != grid.NoTeam || b.state.Team() != 1 {
		t.Errorf("eyes of %d and %d", a.state.Team(), b.state.Team())
	}
}
