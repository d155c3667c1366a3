package match

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/past"
	"github.com/fogkeep/fogkeep/match/sim"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// freeze stops the disk under a match that stands between two ticks.
func (s *speedMatch) freeze() (thaw func()) {
	s.t.Helper()
	log := &stuck{s.live.journal.log, s.live.journal.log.Next(), make(chan struct{})}
	s.ask(func() error {
		return s.live.do(context.Background(), func(m *live) { m.journal.log = log })
	})
	return func() { close(log.thawed) }
}

// pausedMatch is a match of one person and a bot in a pause, and its journal is on disk.
func pausedMatch(t *testing.T) *speedMatch {
	s := newSpeedMatch(t, 1, func(spec *Spec, _ *Config) { spec.Seats[0].Account = "account0" })
	s.asks(0, 100, true)
	s.isTold(0, "100 true by 1 left 255")
	s.play(3)
	s.killed()
	return s
}

// leaves reads what a client is sent until its connection ends, with a code.
func (s *speedMatch) leaves(code string, i int) {
	s.t.Helper()
	c := s.clients[i]
	c.silent = true // the match takes its messages no more
	for c.closing == nil {
		c.read()
	}
	if c.closing.Code != code {
		s.t.Errorf("client %d: %v, want %s", i, c.closing, code)
	}
}

// left counts how often the journal says that a player left.
func (s *speedMatch) left(slot grid.Slot) (n int) {
	s.t.Helper()
	tail, err := s.dir.Follow(matchID) // wherever it lies: the match may have ended
	if err != nil {
		s.t.Fatal(err)
	}
	defer tail.Close()
	if _, err := journal.Walk(tail.Read, func(_ uint64, r journal.Record, _ *journal.Summary) error {
		for i := 0; r.Tick != nil && i < len(r.Tick.Inputs); i++ {
			if in := r.Tick.Inputs[i]; in.Kind == sim.InputLeft && in.Slot == slot {
				n++
			}
		}
		return nil
	}); err != nil {
		s.t.Fatal(err)
	}
	return n
}

// A line of chat in a pause is on disk before others hear it. After a kill in the pause the
// match has it, and says it in the tick that ends the pause.
func TestChatOfAPauseIsOnDiskBeforeItIsHeard(t *testing.T) {
	s := pausedMatch(t)
	at := s.live.world.Tick()
	thaw := s.freeze()
	s.clients[0].send(&pb.ClientFrame{Says: []*pb.Say{{Seq: s.clients[0].Number(), All: true, Text: "a pause"}}})
	s.until("the line is at the journal", func() bool { return len(s.live.speed.unheard) == 1 })
	s.play(20)
	if len(s.said) != 0 {
		t.Fatalf("heard before it was on disk: %s", s.said)
	}
	thaw()
	s.until("the line is heard", func() bool { return len(s.said) == 1 })
	if s.live.world.Tick() != at {
		t.Errorf("tick %d after %d: other teams would notice the line", s.live.world.Tick(), at)
	}

	b := &speedMatch{serviceHarness: s.revived(folder(t, map[string][]byte{matchID: s.killed()}), Config{})}
	n := b.connect(&pb.Hello{Resume: s.clients[0].welcome.Resume}, s.clients[0].Tick())
	n.State = s.clients[0].State
	b.add(n)
	b.asked()
	b.until("it is told of the pause", func() bool { return b.waits[0] > 0 })
	b.asks(0, 100, false)
	b.play(10)
	b.until("the line is said", func() bool { return len(b.said) > 0 })
	if got := strings.Join(b.said, "; "); got != "0 hears 0: a pause" {
		t.Errorf("after the kill: %s", got)
	}
	if left := b.live.journal.past.Lines; left != nil {
		t.Errorf("said, and still kept: %v", left)
	}
}

// A state that is saved in a pause has the pause's lines, without a deleted account.
func TestLinesOfAPauseAreKeptAndRedacted(t *testing.T) {
	s := pausedMatch(t)
	s.clients[0].send(&pb.ClientFrame{Says: []*pb.Say{{Seq: s.clients[0].Number(), All: true, Text: "a secret"}}})
	s.until("the line is heard", func() bool { return len(s.said) == 1 })
	dir, file := s.dir, s.killed()
	s.ask(func() error { return s.live.do(t.Context(), func(m *live) { m.gate.stop() }) })
	state, err := dir.State(matchID)
	if err != nil || state == nil || !strings.Contains(string(state.Extra), "a secret") {
		t.Fatalf("a state %+v, %v", state, err)
	}
	redact, lines := past.Redactor("account0", "gone"), 0
	if _, err := journal.Walk(func(each func(uint64, []byte) error) error {
		return reading(folder(t, map[string][]byte{matchID: file}).Path(matchID))(func(n uint64, rec []byte) error {
			rec, err := redact(n, rec)
			if err != nil {
				return err
			}
			return each(n, rec)
		})
	}, func(_ uint64, r journal.Record, _ *journal.Summary) error {
		if r.Line != nil {
			lines++
			if strings.Contains(r.Line.Text, "secret") {
				t.Errorf("it says %q", r.Line.Text)
			}
		}
		return nil
	}); err != nil || lines != 1 {
		t.Errorf("%d lines, %v", lines, err)
	}
}

// A seat has ended for good once that is on disk: in a match that runs, in one that stands
// still, and in one that waits for its players. A match that stands still plays one tick for it.
func TestTheEndOfASeatIsOnDiskBeforeItIsAnswered(t *testing.T) {
	end := func(s *speedMatch) error {
		return s.service.End(context.Background(), "account0", Ending{ForGood: true, Why: link.Refusal{Code: "kicked", Text: "rude"}})
	}
	for _, paused := range []bool{false, true} {
		s := pausedMatch(t)
		if !paused {
			s.asks(0, 100, false)
			s.isTold(0, "100 false by 1 left 255")
			s.killed()
		}
		thaw := s.freeze()
		answer := make(chan error, 2)
		go func() {
			err := end(s)
			answer <- err
			answer <- err
		}()
		s.asked()
		ticked := make(chan grid.Tick, 2)
		go func() {
			s.tick()
			ticked <- s.live.world.Tick()
			close(ticked)
		}()
		select {
		case err := <-answer:
			t.Errorf("paused %v: answered before it is on disk: %v", paused, err)
		case <-ticked:
			t.Errorf("paused %v: the match went on before it is on disk", paused)
		case <-time.After(100 * time.Millisecond):
		}
		if s.read(); s.clients[0].closing != nil {
			t.Errorf("paused %v: its connection ended before that is on disk: %v", paused, s.clients[0].closing)
		}
		thaw()
		<-ticked
		if s.leaves("kicked", 0); s.clients[0].closing.Text != "rude" {
			t.Errorf("paused %v: it is told %q", paused, s.clients[0].closing.Text)
		}
		if err := <-answer; err != nil || s.left(0) != 1 {
			t.Errorf("paused %v: %v, the journal says %d times that the player left", paused, err, s.left(0))
		}
	}

	s := pausedMatch(t)
	b := &speedMatch{serviceHarness: s.revived(folder(t, map[string][]byte{matchID: s.killed()}), Config{})}
	answer := make(chan error, 1)
	go func() { answer <- end(b) }()
	b.asked()
	b.tick()
	if err := <-answer; err != nil || b.left(0) != 1 {
		t.Errorf("while its players come back: %v, the journal says %d times that the player left", err, b.left(0))
	}
}
