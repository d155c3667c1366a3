package match

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/internal/eventually"
	"github.com/fogkeep/fogkeep/match/grid"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

const (
	kRemake = pb.VoteKind_VOTE_KIND_REMAKE
	kGiveUp = pb.VoteKind_VOTE_KIND_SURRENDER
	kKick   = pb.VoteKind_VOTE_KIND_KICK
)

// votedMatch has three persons in team 0, one in team 1, and a bot in team 2.
func votedMatch(t *testing.T, change ...func(*Spec, *Config)) *speedMatch {
	return newSpeedMatch(t, 4, append(change, func(s *Spec, _ *Config) {
		s.Map.Starts = append(s.Map.Starts, grid.Tile{X: 24, Y: 24})
		for i, team := range []grid.Team{0, 0, 0, 1, 2} {
			s.Seats[i].Team = team
		}
	})...)
}

func (s *speedMatch) votes(i int, kind pb.VoteKind, slot uint32, yes bool) {
	s.clients[i].send(&pb.ClientFrame{Vote: &pb.Vote{Kind: kind, Slot: slot, Yes: yes}})
}

// polls returns the questions of the newest message to a client.
func (s *speedMatch) polls(i int) string {
	x := s.clients[i].Votes
	if x == nil {
		return "nothing"
	}
	out := []string{}
	for _, p := range x.Polls {
		out = append(out, fmt.Sprintf("%d by %d on %d: yes %d no %d of %d need %d %d", p.Kind, p.By, p.Slot, p.Yes, p.No, p.Voters, p.Needed, p.Result))
	}
	if x.Refused != "" {
		out = append(out, x.Refused)
	}
	return strings.Join(out, "; ")
}

func (s *speedMatch) isAsked(i int, want string) {
	s.t.Helper()
	defer func() {
		if s.t.Failed() {
			s.t.Logf("client %d was told %q", i, s.polls(i))
		}
	}()
	s.until(fmt.Sprintf("client %d is asked %q", i, want), func() bool { return s.polls(i) == want })
}

// A remake needs two thirds of all persons. It ends the match without a winner, and the
// journal replays to the same end.
func TestRemakeVote(t *testing.T) {
	t.Parallel()
	s := votedMatch(t)
	s.votes(0, kRemake, 0, true)
	s.isAsked(3, "1 by 0 on 0: yes [0] no [] of [0 1 2 3] need 3 0")
	s.votes(3, kRemake, 0, false)
	s.isAsked(0, "1 by 0 on 0: yes [0] no [3] of [0 1 2 3] need 3 0")
	for range 5 { // one seat has one vote
		s.votes(1, kRemake, 0, true)
	}
	s.isAsked(2, "1 by 0 on 0: yes [0 1] no [3] of [0 1 2 3] need 3 0")
	s.votes(2, kGiveUp, 0, true) // a vote of its team is open beside it
	s.isAsked(2, "1 by 0 on 0: yes [0 1] no [3] of [0 1 2 3] need 3 0; 2 by 2 on 0: yes [2] no [] of [0 1 2] need 2 0")
	s.votes(3, kRemake, 0, true)
	s.until("the match has ended", func() bool { return s.live.end.result != nil })
	if r := s.live.end.result; r.Reason != "remake" || r.Winner != grid.NoTeam {
		t.Errorf("it ended with %q, winner %d", r.Reason, r.Winner)
	}
	s.isAsked(0, "1 by 0 on 0: yes [0 1 3] no [] of [0 1 2 3] need 3 1; 2 by 2 on 0: yes [2] no [] of [0 1 2] need 2 2")
	s.end()
	if sum := replays(t, s.dir, matchID); sum.Ended == nil || sum.Ended.Reason != "remake" {
		t.Errorf("the journal ends with %+v", sum.Ended)
	}
}

// A team's votes reach that team alone, and no message tells others that there is one. A
// team that gives up is out as a whole.
func TestSurrenderVoteIsTheTeams(t *testing.T) {
	t.Parallel()
	s := votedMatch(t)
	s.votes(1, kGiveUp, 0, true)
	s.isAsked(2, "2 by 1 on 0: yes [1] no [] of [0 1 2] need 2 0")
	s.play(10)
	if got := s.polls(3); got != "nothing" {
		t.Errorf("the other team was told %q", got)
	}
	s.votes(3, kKick, 1, true) // nor can it take part
	s.isAsked(3, "player")
	s.votes(0, kGiveUp, 0, true)
	s.until("the team is out", func() bool { return !s.live.world.Player(0).Alive })
	for slot, want := range []bool{false, false, false, true, true} {
		if got := s.live.world.Player(grid.Slot(slot)).Alive; got != want {
			t.Errorf("player %d is alive: %v", slot, got)
		}
	}
	if got := s.polls(3); got != "player" {
		t.Errorf("the other team was told %q", got)
	}
	s.end()
	replays(t, s.dir, matchID)
}

// A team removes a player with the votes of at least two others, in a pause too. The
// player cannot come back.
func TestKickVote(t *testing.T) {
	t.Parallel()
	s := votedMatch(t)
	for i := range 4 {
		s.asks(i, 100, true)
		s.play(2)
	}
	s.until("the match is paused", func() bool { return s.live.speed.paused })
	for _, slot := range []uint32{2, 3, 1 << 20} {
		s.clients[2].Votes = nil // each vote gets an answer of its own
		s.votes(2, kKick, slot, true)
		s.isAsked(2, "player")
	}
	s.votes(0, kKick, 2, true)
	s.isAsked(2, "3 by 0 on 2: yes [0] no [] of [0 1] need 2 0")
	s.votes(2, kKick, 2, false) // it has no vote on itself
	s.isAsked(2, "3 by 0 on 2: yes [0] no [] of [0 1] need 2 0; may")
	s.votes(1, kKick, 2, true)
	s.until("it is removed", func() bool { return s.live.seats.all[2].kicked && s.live.world.HasLeft(2) })
	if _, err := s.live.seats.playerSeat(Seat{Match: matchID, Slot: 2, Account: s.live.seats.all[2].account}, false, false); err == nil {
		t.Error("it comes back")
	}
}

// The server tells a removed player once the journal has the removal: a kill before that would bring
// the player back.
func TestAKickVoteIsOnDiskBeforeItIsTold(t *testing.T) {
	t.Parallel()
	s := votedMatch(t)
	s.votes(0, kKick, 2, true)
	s.isAsked(1, "3 by 0 on 2: yes [0] no [] of [0 1] need 2 0")
	s.killed() // all of it is on disk
	thaw := s.freeze()
	s.votes(1, kKick, 2, true)
	ticked := make(chan bool)
	go func() {
		defer close(ticked)
		for range 20 {
			s.tick()
		}
	}()
	eventually.Holds(t, "the match waits for its disk", func() bool {
		s.read()
		return s.waits[0] > 0
	})
	if s.clients[2].closing != nil {
		t.Errorf("before it is on disk: %v", s.clients[2].closing)
	}
	thaw()
	s.leaves("kicked", 2)
	if <-ticked; s.left(2) != 1 {
		t.Errorf("the journal says %d times that the player left", s.left(2))
	}
}

// TestRestartEndsVotes: a restart ends an open question without a result. All players learn it, and may ask at once.
func TestRestartEndsVotes(t *testing.T) {
	t.Parallel()
	s := votedMatch(t)
	s.votes(0, kRemake, 0, true)
	s.isAsked(1, "1 by 0 on 0: yes [0] no [] of [0 1 2 3] need 3 0")
	dir := folder(t, map[string][]byte{matchID: s.killed()})
	b := &speedMatch{serviceHarness: s.revived(dir, Config{})}
	for _, c := range b.back(s.clients...) {
		b.add(c)
	}
	b.isAsked(0, "")
	b.isAsked(1, "")
	b.votes(0, kRemake, 0, true)
	b.isAsked(1, "1 by 0 on 0: yes [0] no [] of [0 1 2 3] need 3 0")
	b.end()
	replays(t, dir, matchID)
}

// Votes are rare, and some are refused with a code.
func TestVotesAreRefused(t *testing.T) {
	t.Parallel()
	s := votedMatch(t, func(s *Spec, _ *Config) { s.TickRate, s.VoteRest = grid.TickRateMin, 30*time.Second })
	s.votes(0, kRemake, 0, false)
	s.isAsked(0, "over")
	s.votes(0, 99, 0, true)
	s.isAsked(0, "off")
	s.votes(0, kRemake, 0, true)
	s.isAsked(1, "1 by 0 on 0: yes [0] no [] of [0 1 2 3] need 3 0")
	s.votes(0, kRemake, 0, false) // takes it back
	s.isAsked(1, "1 by 0 on 0: yes [] no [0] of [0 1 2 3] need 3 2")
	s.votes(0, kRemake, 0, true)
	s.isAsked(0, "1 by 0 on 0: yes [] no [0] of [0 1 2 3] need 3 2; rested")
	s.isAsked(1, "") // the end is shown for a while
	for range 3 * asksBurst {
		s.votes(0, kKick, 0, true)
	}
	s.isAsked(0, "may")
	s.votes(1, kRemake, 0, true)
	s.isAsked(1, "1 by 1 on 0: yes [1] no [] of [0 1 2 3] need 3 0")
	began := s.clock.Now()
	s.until("its time is over", func() bool {
		s.play(10)
		return strings.HasSuffix(s.polls(1), "need 3 2")
	})
	if took := s.clock.Now().Sub(began); took < voteMost-2*time.Second || took > voteMost+6*time.Second {
		t.Errorf("it ended after %v", took)
	}
	s.ticksIn(30 * time.Second)
	s.ticksIn(remakeMost - time.Duration(s.live.world.Tick())*time.Second/grid.TickRateMin + time.Second)
	s.votes(2, kRemake, 0, true)
	s.isAsked(2, "late")

	off := votedMatch(t, func(s *Spec, _ *Config) { s.Votes = "speed" })
	off.votes(0, kGiveUp, 0, true)
	off.isAsked(0, "off")
	bad := Spec{ID: matchID, Map: flatMap(48), Rules: shipped(t), Votes: "none", Seats: []SeatSpec{{Name: "a"}, {Name: "b", Team: 1, Start: 1, Bot: true}}}
	if err := bad.Check(); err == nil {
		t.Error("a rule for votes that there is not is taken")
	}
}
