package match

import (
	"cmp"
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/match/feed"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/poll"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/spec"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// Players vote on a remake, on the surrender of their team, and on the removal of a
// team-mate. One question to all and one to each team are open at most. A team's votes
// reach that team alone: others would learn from them how it stands.
//
//	Vote of a player ──► question (poll.Poll) ──► passed: InputVoted or InputLeft, journalled
//	                          │
//	                          ▼
//	            Votes, to each player with a right to them
//
// Time is real time, so that votes end in a pause too. Open questions are not journalled: a
// restart of the server, or another node, ends them without a result. Their players may ask again
// at once.

const (
	voteMost = 45 * time.Second
	// voteShown is how long a question is listed after its end.
	voteShown = 5 * time.Second
	// remakeMost is the match time in which players may ask for a remake.
	remakeMost = 3 * time.Minute
)

// The codes of votes without effect.
const (
	voteOff    = "off"    // the match has no such votes
	voteLate   = "late"   // too late for a remake
	voteOther  = "other"  // another question is open
	voteRested = "rested" // the player asked a short time ago
	votePlayer = "player" // no player of the team who can be removed
	voteOver   = "over"   // a vote against a question that is not open
	voteMay    = "may"    // the player has no vote, or has voted too often
)

// errVotedOut ends the connection of a player whose team removed it.
var errVotedOut = &link.Refusal{Code: "kicked", Text: "your team voted to remove you from this match"}

// votes are the questions of a match besides its speed.
type votes struct {
	*core
	seats       *seats
	connections *connections
	speed       *speed
	feeds       *feed.Match

	polls   []question
	ends    []time.Time // by slot: when its last question ended, or ends
	refused []string    // by slot: the code that it gets with its next news
}

// question is a poll of players.
type question struct {
	poll.Poll
	kind   pb.VoteKind
	slot   grid.Slot // of a kick
	team   grid.Team // NoTeam: all teams
	result poll.Result
}

func (v *votes) begin() {
	n := len(v.seats.all)
	v.ends, v.refused = make([]time.Time, n), make([]string, n)
	v.feeds.Votes = feed.Votes{Version: make([]uint32, n), Tell: v.message}
}

// drop tells each returning player that the match has no question: clients learn that one has ended.
func (v *votes) drop() {
	for i := range v.feeds.Votes.Version {
		v.feeds.Votes.Version[i] = 1
	}
}

// reaches reports whether a player of a team may know of the question.
func (q *question) reaches(t grid.Team) bool { return q.team == grid.NoTeam || q.team == t }

// changed gives the players who may know of a question news.
func (v *votes) changed(q *question) {
	for _, st := range v.seats.all {
		if q.reaches(st.team) {
			v.feeds.Votes.Version[st.slot]++
		}
	}
}

// take takes in a player's vote.
func (v *votes) take(st *seat, in wire.Vote) {
	if code := v.judge(st, in); code != "" {
		v.refused[st.slot] = code
		v.feeds.Votes.Version[st.slot]++
	}
	v.settle()
}

// judge counts a vote, and returns the code if it has no effect.
func (v *votes) judge(st *seat, in wire.Vote) string {
	if !v.speed.mayVote(st) {
		return voteMay
	}
	q := question{kind: in.Kind, slot: grid.NoSlot, team: st.team}
	switch in.Kind {
	case pb.VoteKind_VOTE_KIND_REMAKE:
		q.team = grid.NoTeam
	case pb.VoteKind_VOTE_KIND_KICK:
		q.slot = in.Slot
	}
	for i := range v.polls {
		p := &v.polls[i]
		if p.team != q.team || p.result != poll.Open {
			continue
		}
		if p.kind != q.kind || p.slot != q.slot {
			return voteOther
		}
		if !p.May.Has(st.slot) {
			return voteMay
		}
		if p.Vote(st.slot, in.Yes) {
			v.changed(p)
		}
		return ""
	}
	if !in.Yes {
		return voteOver
	}
	return v.open(st, q)
}

// open opens a question, or returns the code why not.
func (v *votes) open(st *seat, q question) string {
	now, rule := v.host.now(), poll.Quorum{Percent: cmp.Or(v.spec.VoteQuorum, spec.VoteQuorum), Least: 1}
	switch {
	case v.spec.Votes == spec.VotesSpeed:
		return voteOff
	case now.Before(v.ends[st.slot]):
		return voteRested
	}
	switch q.kind {
	case pb.VoteKind_VOTE_KIND_REMAKE:
		if time.Duration(v.world.Tick())*time.Second > remakeMost*time.Duration(v.rate) {
			return voteLate
		}
	case pb.VoteKind_VOTE_KIND_SURRENDER:
	case pb.VoteKind_VOTE_KIND_KICK:
		rule.Least = 2
		if int(q.slot) >= len(v.seats.all) || q.slot == st.slot || v.seats.all[q.slot].team != st.team || !v.seats.person(v.seats.all[q.slot]) {
			return votePlayer
		}
	default:
		return voteOff
	}
	q.Poll = poll.New(st.slot, v.voters(&q), rule, now.Add(voteMost).UnixMilli())
	v.polls = append(slices.DeleteFunc(v.polls, func(p question) bool { return p.team == q.team }), q)
	v.ends[st.slot] = now.Add(voteMost + v.rest())
	v.changed(&q)
	return ""
}

// rest is how long a player waits after the end of a question before it may ask another.
func (v *votes) rest() time.Duration { return cmp.Or(v.spec.VoteRest, spec.VoteRest) }

// voters returns the players with a vote: human players who are connected or may come
// back. The player whose removal is asked for has none.
func (v *votes) voters(q *question) grid.SlotSet {
	return v.seats.persons(func(st *seat) bool { return q.reaches(st.team) && !st.absent && st.slot != q.slot })
}

// settle ends questions, carries out the decisions, and drops questions that ended some
// time ago.
func (v *votes) settle() {
	now := v.host.now()
	for i := 0; i < len(v.polls); i++ {
		q := &v.polls[i]
		if q.result != poll.Open {
			if now.UnixMilli() >= q.Ends {
				ended := *q
				v.polls = slices.Delete(v.polls, i, i+1)
				v.changed(&ended)
				i--
			}
			continue
		}
		if may := v.voters(q); may != q.May {
			q.May = may
			v.changed(q)
		}
		if q.result = q.Result(now.UnixMilli()); q.result == poll.Open && !v.end.closed() {
			continue
		}
		switch q.result {
		case poll.Passed:
			v.act(q)
		case poll.Open: // the match has ended
			q.result = poll.Failed
		}
		q.Ends, v.ends[q.By] = now.Add(voteShown).UnixMilli(), now.Add(v.rest())
		v.changed(q)
	}
}

// act carries out a decision. In a pause one tick is played for it.
func (v *votes) act(q *question) {
	in := sim.Input{Kind: sim.InputVoted, Slot: q.By, Seq: sim.VotedRemake}
	switch q.kind {
	case pb.VoteKind_VOTE_KIND_KICK:
		st := v.seats.all[q.slot]
		if st.account != "" {
			v.seats.barred[st.account] = *errVotedOut
		}
		v.connections.remove(st, errVotedOut)
		v.speed.pass = true
		return
	case pb.VoteKind_VOTE_KIND_SURRENDER:
		in.Seq = sim.VotedSurrender
	}
	v.inputs.add(in)
	v.speed.pass = true
}

// message returns the questions that a player may know of.
func (v *votes) message(slot grid.Slot) *pb.Votes {
	out := &pb.Votes{Refused: v.refused[slot]}
	v.refused[slot] = ""
	for i := range v.polls {
		q := &v.polls[i]
		if !q.reaches(v.seats.all[slot].team) {
			continue
		}
		p := &pb.Poll{
			Kind: q.kind, By: uint32(q.By), Voters: slotsOf(q.May), Yes: slotsOf(q.Yes & q.May), No: slotsOf(q.No & q.May),
			Needed: uint32(q.Needed()), Result: pb.PollResult(q.result),
		}
		if q.slot != grid.NoSlot {
			p.Slot = uint32(q.slot)
		}
		if q.result == poll.Open {
			p.Ms = uint32(max(1, q.Ends-v.host.now().UnixMilli()))
		}
		out.Polls = append(out.Polls, p)
	}
	return out
}

// slotsOf lists the slots of a set.
func slotsOf(set grid.SlotSet) (out []uint32) {
	for s := range grid.Slot(grid.SlotsMax) {
		if set.Has(s) {
			out = append(out, uint32(s))
		}
	}
	return out
}
