package match

import (
	"slices"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/internal/eventually"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/view"
	"github.com/fogkeep/fogkeep/orders"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// TestABotPlaysOn: a bot takes the seat of a player who is gone, with the knowledge of the team
// and numbers of its own, and gives it back. The bot's ticket opens no seat of a player who is
// there. A kill brings the bot back. A player who gives up leaves the seat to the bot, and has left.
func TestABotPlaysOn(t *testing.T) {
	skirmish, err := rules.Shipped("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	var tickets []string
	cfg := Config{Grace: time.Second, StandIn: func(match, ticket, level string) {
		if match != matchID || level != "hard" {
			t.Errorf("a bot of level %q is sent to match %s", level, match)
		}
		tickets = append(tickets, ticket)
	}}
	a := startServiceHarness(t, Spec{
		ID: matchID, Map: flatMap(48), Rules: skirmish, Seed: 7, EveryTick: true, StandIn: "hard", Options: sim.Options{Leavers: sim.LeaversBot, AbandonMs: 60_000},
		Seats: []SeatSpec{{Name: "Ann", Account: "ann"}, {Name: "Ben", Team: 1, Start: 1, Account: "ben"}, {Name: "Cid", Team: 1, Start: 2, Account: "cid"}},
	}, cfg)
	a.service.cfg.Admitter = nameDoor{}
	ann := a.with("0 ann Ann")
	ben := a.with("1 ben Ben")
	ann.read()
	cid := a.with("2 cid Cid")
	ann.read()
	ben.read()
	stop := func(c *pipeClient) uint32 {
		t.Helper()
		return c.order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_STOP, Units: c.mine("worker")})
	}
	stop(ben)
	for range 5 {
		a.playTick(ann, ben, cid)
	}
	knows := ben.Replica.Handles()
	ben.pipe.Close()
	for len(tickets) == 0 {
		a.playTick(ann, cid)
	}
	bot := a.connect(&pb.Hello{Ticket: tickets[0]}, 0)
	a.asked()
	a.playTick(ann, cid)
	bot.read()
	bot.read()
	if got := bot.Replica.Handles(); bot.welcome == nil || bot.welcome.Slot != 1 || !slices.Equal(got, knows) {
		t.Fatalf("the bot is welcomed with %v, %v, and holds %v, the player before %v", bot.welcome, bot.closing, got, knows)
	}
	if seq := stop(bot); seq != 1 {
		t.Fatalf("the bot's first number is %d", seq)
	}
	for range 5 {
		a.playTick(ann, cid, bot)
	}
	if len(bot.answers) != 1 || orders.Reject(bot.answers[0].Code) != orders.OK {
		t.Errorf("the bot's order is answered %v", bot.answers)
	}
	if got := ann.Replica.Players[1].State; got != view.StandIn {
		t.Errorf("to the others the player is %v", got)
	}
	if s := a.service.Matches()[0].Seats[1]; s.Connected || !s.Away {
		t.Errorf("the seat is %+v", s)
	}

	back := a.connect(&pb.Hello{Resume: ben.welcome.Resume}, ben.Tick())
	back.State = ben.State
	a.asked()
	a.playTick(ann, cid)
	for bot.closing == nil {
		bot.read()
	}
	back.read()
	back.read()
	if bot.closing.Code != "replaced" || back.welcome == nil {
		t.Fatalf("the bot is told %v, the player %v", bot.closing, back.closing)
	}
	if seq := stop(back); seq != 2 {
		t.Fatalf("the player's next number is %d", seq)
	}
	for range 5 {
		a.playTick(ann, cid, back)
	}
	again := func(x *pb.Answer) bool { return x.Seq == 1 } // of before, if its receipt was lost with the connection
	if got := slices.DeleteFunc(back.answers, again); len(got) != 1 || got[0].Seq != 2 || orders.Reject(got[0].Code) != orders.OK {
		t.Errorf("the player's order is answered %v", got)
	}
	if got := ann.Replica.Players[1].State; got != view.Playing {
		t.Errorf("to the others the player is %v", got)
	}
	a.refuses(&pb.Hello{Ticket: tickets[0]}, "no_seat")
	a.refuses(&pb.Hello{Ticket: signer(NewKey()).newToken(Seat{Match: matchID, Slot: 1, StandIn: true})}, "bad_ticket")

	// The player gives up: the team plays on, with a bot.
	tickets = nil
	back.order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_SURRENDER})
	for back.closing == nil {
		a.tick()
		back.read()
	}
	if back.closing.Code != "not_seated" {
		t.Errorf("the player is told %v", back.closing)
	}
	for range 220 {
		a.tick()
		ann.readAll()
		cid.readAll()
	}
	if len(tickets) == 0 || !a.live.world.Player(1).Alive {
		t.Fatal("no bot plays on")
	}
	a.refuses(&pb.Hello{Resume: back.welcome.Resume}, "not_seated")

	dir := folder(t, map[string][]byte{matchID: a.killed()})
	a.end()
	tickets = nil
	b := a.revived(dir, cfg)
	for range 300 {
		b.tick()
	}
	if len(tickets) == 0 {
		t.Error("after the kill no bot plays on")
	}
	// The team-mate leaves, and is excused; the team is out.
	b.ask(func() error {
		return b.service.End(t.Context(), "cid", Ending{Match: matchID, ForGood: true, Why: link.Refusal{Code: "not_seated"}})
	})
	var r Result
	eventually.Holds(t, "the result", func() bool {
		b.tick()
		select {
		case r = <-b.clerk.results:
			return true
		default:
			return false
		}
	})
	if r.Ended == nil || r.Ended.Winner != 0 || !r.Left.Has(1) || !r.Left.Has(2) || r.Excused.Has(1) || !r.Excused.Has(2) {
		t.Errorf("the result is %+v", r)
	}
}
