package match

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/view"
	"github.com/fogkeep/fogkeep/orders"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// nameDoor admits the bearer of "<slot> <account> <name>", a bot with "-" for both; with
// "watch" for a slot as a spectator. A fourth word is the turn.
type nameDoor struct{}

func (nameDoor) Redeem(_ context.Context, ticket string, _ netip.Addr) (Seat, error) {
	var slot, account, name string
	var turn uint32
	if n, _ := fmt.Sscan(ticket, &slot, &account, &name, &turn); n < 3 {
		return Seat{}, &link.Refusal{Code: "bad_ticket", Text: "no such ticket"}
	}
	s := Seat{Match: matchID, Account: account, Name: name, Turn: turn}
	if account == "-" {
		s.Account, s.Name = "", ""
	}
	if slot == "watch" {
		s.Slot, s.Spectator, s.Eyes = grid.NoSlot, true, grid.NoTeam
		return s, nil
	}
	_, err := fmt.Sscan(slot, &s.Slot)
	return s, err
}

func (nameDoor) Resume(context.Context, Seat, netip.Addr) error { return nil }

func (nameDoor) Release(context.Context, Seat, *link.Refusal) {}

// withBot is a match of ann against a bot and its team-mate ben, all connected.
func withBot(t *testing.T) (a *serviceHarness, ann, bot, ben *pipeClient) {
	t.Helper()
	skirmish, err := rules.Shipped("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	a = startServiceHarness(t, Spec{
		ID: matchID, Map: flatMap(48), Rules: skirmish, Seed: 7, EveryTick: true, Spectators: 2,
		Seats: []SeatSpec{
			{Name: "Ann", Team: 0, Start: 0, Account: "ann"}, {Name: "Bot B", Team: 1, Start: 1, Bot: true}, {Name: "Ben", Team: 1, Start: 2, Account: "ben"},
		},
	}, Config{})
	a.service.cfg.Admitter = nameDoor{} // the service has not asked it yet
	ann, bot = a.with("0 ann Ann"), a.with("1 - -")
	ann.read()
	ben = a.with("2 ben Ben")
	ann.read()
	bot.read()
	return a, ann, bot, ben
}

// with connects with a ticket, and plays until the first frame is there.
func (a *serviceHarness) with(ticket string) *pipeClient {
	a.t.Helper()
	c := a.connect(&pb.Hello{Ticket: ticket}, 0)
	a.welcomed(c)
	return c
}

func (a *serviceHarness) refuses(hello *pb.Hello, want string) {
	a.t.Helper()
	if code := a.closed(a.connect(hello, 0)); code != want {
		a.t.Errorf("%v is answered %q, want %q", hello, code, want)
	}
}

// lines counts the chat lines in a frame.
func lines(f *wire.ServerFrame) (n int) {
	for _, s := range f.Said {
		if s.Handed == 0 {
			n++
		}
	}
	return n
}

// playTick plays one tick, which all of cs take in. It returns the lines that each heard.
func (a *serviceHarness) playTick(cs ...*pipeClient) (said []int) {
	a.tick()
	for _, c := range cs {
		said = append(said, lines(c.read()))
	}
	return said
}

// A person takes over a bot's seat: the bot is out, all clients get the name, and the
// person gets the team's knowledge, and no more.
func TestABotsSeatIsTakenOver(t *testing.T) {
	a, ann, bot, ben := withBot(t)
	// The bot's first number is refused, and there is talk in its team, which the bot
	// does not say that it has heard.
	bot.silent = true
	bot.send(&pb.ClientFrame{Applied: uint32(bot.Tick()), Says: []*pb.Say{{Seq: 1, All: true, Text: ""}}})
	ben.send(&pb.ClientFrame{Applied: uint32(ben.Tick()), Says: []*pb.Say{{Seq: 1, Text: "only us"}}})
	heard := 0
	for range 30 {
		heard += a.playTick(ann, bot, ben)[1]
	}
	if heard != 1 || len(bot.answers) != 1 || bot.answers[0].Code == 0 {
		t.Fatalf("the bot heard %d lines and has the answers %v", heard, bot.answers)
	}
	old := bot.welcome.Resume
	carol := a.connect(&pb.Hello{Ticket: "1 carol Carol"}, 0)
	a.asked()
	a.playTick(ann, ben)
	carol.read()
	if w := carol.welcome; w == nil || w.Slot != 1 || w.Players[1].Name != "Carol" || w.Players[1].Bot {
		t.Fatalf("Carol is welcomed with %v", w)
	}
	heardSince := lines(carol.read())
	for bot.closing == nil {
		bot.read()
	}
	if bot.closing.Code != "replaced" {
		t.Errorf("the bot is told %v", bot.closing)
	}
	for range 3 {
		heardSince += a.playTick(ann, ben, carol)[2]
	}
	if heardSince != 0 {
		t.Errorf("Carol hears %d lines of before", heardSince)
	}
	for _, c := range []*pipeClient{ann, ben, carol} {
		if got := c.Replica.Players; len(got) != 3 || got[0].Name != "" || got[1].Name != "Carol" || got[2].Name != "" {
			t.Errorf("slot %d knows the players as %v", c.welcome.Slot, got)
		}
		if c.Replica.Players[1].State != view.Playing {
			t.Errorf("the seat is %v", c.Replica.Players[1])
		}
	}
	// All players of a team have the same knowledge.
	if got, want := carol.Replica.Handles(), ben.Replica.Handles(); len(got) == 0 || !slices.Equal(got, want) {
		t.Errorf("Carol holds %v, her team-mate %v", got, want)
	}
	for i := range a.spec.Map.Levels {
		at := grid.Tile{X: int16(i % 48), Y: int16(i / 48)}
		if carol.Replica.Visible(at) != ben.Replica.Visible(at) || carol.Replica.Explored(at) != ben.Replica.Explored(at) {
			t.Fatalf("%v is known to one of the team alone", at)
		}
	}
	// Her numbers are her own, and the units obey.
	if seq := carol.order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_STOP, Units: carol.mine("worker")}); seq != 1 {
		t.Fatalf("her first number is %d", seq)
	}
	for range 10 {
		a.playTick(ann, ben, carol)
	}
	if len(carol.answers) != 1 || orders.Reject(carol.answers[0].Code) != orders.OK {
		t.Errorf("her order is answered %v", carol.answers)
	}
	a.refuses(&pb.Hello{Resume: old}, "bad_token")
	a.refuses(&pb.Hello{Ticket: "1 - -"}, "no_seat")         // a bot that comes late
	a.refuses(&pb.Hello{Ticket: "1 dave Dave"}, "no_seat")   // it is no bot's any more
	a.refuses(&pb.Hello{Ticket: "0 carol Carol"}, "no_seat") // and others' never were
}

// Of two persons who come for one seat at the same moment, one gets it.
func TestTwoComeForOneSeat(t *testing.T) {
	a, _, _, _ := withBot(t)
	one, two := a.connect(&pb.Hello{Ticket: "1 carol Carol"}, 0), a.connect(&pb.Hello{Ticket: "1 dave Dave"}, 0)
	a.requested(2)
	a.tick()
	one.read()
	two.read()
	if (one.welcome == nil) == (two.welcome == nil) {
		t.Fatalf("%v, %v", one.welcome, two.welcome)
	}
	for _, c := range []*pipeClient{one, two} {
		if c.welcome == nil && c.closing.GetCode() != "no_seat" {
			t.Errorf("the other is told %v", c.closing)
		}
	}
}

// A player, a spectator, a removed account and an account without a name cannot take a
// seat over: the bot stays.
func TestRefusedTakeovers(t *testing.T) {
	a, _, bot, _ := withBot(t)
	a.with("watch erin Erin")
	a.ask(func() error {
		return a.service.End(context.Background(), "frank", Ending{Match: matchID, ForGood: true, Why: link.Refusal{Code: "kicked", Text: "out"}})
	})
	for ticket, want := range map[string]string{
		"1 ann Ann": "no_seat", "1 erin Erin": "no_seat", "1 frank Frank": "kicked", "1 gil " + fmt.Sprintf("%065d", 0): "no_seat",
	} {
		a.refuses(&pb.Hello{Ticket: ticket}, want)
	}
	if bot.closing != nil || !a.live.spec.Seats[1].Bot || !a.service.Matches()[0].Seats[1].Connected {
		t.Error("the bot is out")
	}
	a.ask(func() error {
		return a.live.do(context.Background(), func(m *live) {
			m.inputs.add(sim.Input{Kind: sim.InputLeft, Slot: 1})
		})
	})
	a.tick()
	a.refuses(&pb.Hello{Ticket: "1 carol Carol"}, "no_seat") // it was defeated
}

// After a kill the seat is the person's: its token opens it, the bot's does not, and a
// newcomer gets the name.
func TestATakenSeatIsTakenAfterARestart(t *testing.T) {
	t.Parallel()
	for _, saved := range []bool{false, true} {
		a, ann, bot, ben := withBot(t)
		old := bot.welcome.Resume
		carol := a.connect(&pb.Hello{Ticket: "1 carol Carol"}, 0)
		a.asked()
		a.playTick(ann, ben)
		carol.read()
		carol.read()
		ticks := 10
		if saved {
			ticks = (StateSeconds + 1) * a.live.rate
		}
		for range ticks {
			a.playTick(ann, ben, carol)
		}
		a.live.journal.saving.Wait()
		files := map[string][]byte{matchID: a.killed()}
		dir := folder(t, files)
		if saved {
			state, err := a.dir.State(matchID)
			if err != nil || state == nil {
				t.Fatalf("no saved state: %v", err)
			}
			if err := dir.SaveState(matchID, *state); err != nil {
				t.Fatal(err)
			}
		}
		a.end()
		b := a.revived(dir, Config{})
		if since := b.live.seats.all[1].takeover; since == 0 || since != a.live.seats.all[1].takeover {
			t.Errorf("saved %v: taken over in tick %d, before the kill in tick %d", saved, since, a.live.seats.all[1].takeover)
		}
		if s := b.live.spec.Seats[1]; s.Bot || s.Account != "carol" || s.Name != "Carol" {
			t.Fatalf("saved %v: the seat is %+v", saved, s)
		}
		b.refuses(&pb.Hello{Resume: old}, "bad_token")
		n := b.connect(&pb.Hello{Resume: carol.welcome.Resume}, carol.Tick())
		n.State = carol.State
		m := b.connect(&pb.Hello{Resume: ann.welcome.Resume}, 0)
		o := b.connect(&pb.Hello{Resume: ben.welcome.Resume}, 0)
		b.requested(3)
		b.tick()
		for _, c := range []*pipeClient{n, m, o} {
			c.read()
			if c.welcome == nil || c.welcome.Players[1].Name != "Carol" || c.welcome.Players[1].Bot {
				t.Fatalf("saved %v: welcomed with %v, %v", saved, c.welcome, c.closing)
			}
		}
		b.end()
	}
}

// A person takes over the seat of a player who is away: the token and the tickets of the
// player are void, before and after a kill, and so is a ticket of an earlier turn.
func TestAnAwayPlayersSeatIsTakenOver(t *testing.T) {
	t.Parallel()
	for _, saved := range []bool{false, true} {
		a, ann, bot, ben := withBot(t)
		old := ben.welcome.Resume
		held := ann.Replica.Handles()
		ben.send(&pb.ClientFrame{Applied: uint32(ben.Tick()), Says: []*pb.Say{{Seq: 1, Text: "only us"}}})
		a.playTick(ann, bot, ben)
		a.playTick(ann, bot, ben)
		knows := ben.Replica.Handles()
		ben.pipe.Close()
		for !a.service.Matches()[0].Seats[2].Away {
			a.playTick(ann, bot)
		}
		carol := a.connect(&pb.Hello{Ticket: "2 carol Carol 2"}, 0)
		a.asked()
		a.playTick(ann, bot)
		carol.read()
		if w := carol.welcome; w == nil || w.Slot != 2 || w.Players[2].Name != "Carol" {
			t.Fatalf("Carol is welcomed with %v, %v", w, carol.closing)
		}
		heard := 0
		for range 3 {
			heard += a.playTick(ann, bot, carol)[2]
		}
		if got := carol.Replica.Handles(); len(got) == 0 || !slices.Equal(got, knows) || slices.Equal(got, held) || heard != 0 {
			t.Errorf("Carol holds %v, the player before %v; she heard %d lines", got, knows, heard)
		}
		if got := ann.Replica.Players; len(got) != 3 || got[2].Name != "Carol" {
			t.Errorf("Ann knows the players as %v", got)
		}
		if seq := carol.order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_STOP, Units: carol.mine("worker")}); seq != 1 {
			t.Fatalf("her first number is %d", seq)
		}
		ticks := 10
		if saved {
			ticks = (StateSeconds + 1) * a.live.rate
		}
		for range ticks {
			a.playTick(ann, bot, carol)
		}
		if len(carol.answers) != 1 || orders.Reject(carol.answers[0].Code) != orders.OK {
			t.Errorf("her order is answered %v", carol.answers)
		}
		refusals := func(a *serviceHarness) {
			t.Helper()
			a.refuses(&pb.Hello{Resume: old}, "bad_token")
			a.refuses(&pb.Hello{Ticket: "2 ben Ben"}, "no_seat")
			a.refuses(&pb.Hello{Ticket: "2 dave Dave 1"}, "no_seat")
		}
		refusals(a)
		a.live.journal.saving.Wait()
		dir := folder(t, map[string][]byte{matchID: a.killed()})
		if saved {
			state, err := a.dir.State(matchID)
			if err != nil || state == nil {
				t.Fatalf("no saved state: %v", err)
			}
			if err := dir.SaveState(matchID, *state); err != nil {
				t.Fatal(err)
			}
		}
		a.end()
		b := a.revived(dir, Config{})
		b.service.cfg.Admitter = nameDoor{}
		if s := b.live.spec.Seats[2]; s.Bot || s.Account != "carol" || s.Name != "Carol" {
			t.Fatalf("saved %v: the seat is %+v", saved, s)
		}
		refusals(b)
		n := b.connect(&pb.Hello{Resume: carol.welcome.Resume}, carol.Tick())
		n.State = carol.State
		b.asked()
		b.tick()
		n.read()
		if n.welcome == nil || n.welcome.Slot != 2 || n.welcome.Players[2].Name != "Carol" {
			t.Fatalf("saved %v: welcomed with %v, %v", saved, n.welcome, n.closing)
		}
		b.end()
	}
}

// Only the match says that a player is away: not before the player has come, not while
// the player is there, not at once when the connection is lost, not while the match waits
// for its players after a restart, and not when the player is back. Until then the seat
// cannot be taken over. A player who has left for good is out.
func TestTheMatchSaysWhoIsAway(t *testing.T) {
	a, ann, bot, ben := withBot(t)
	info := func(a *serviceHarness, slot int) SeatInfo { return a.service.Matches()[0].Seats[slot] }
	kept := func(a *serviceHarness, when string) {
		t.Helper()
		if s := info(a, 2); s.Away || s.Out {
			t.Errorf("%s: the seat is %+v", when, s)
		}
		a.refuses(&pb.Hello{Ticket: "2 carol Carol 1"}, "no_seat")
	}
	grace := int(a.service.cfg.Grace/time.Second)*a.live.rate + 2*a.live.rate
	kept(a, "connected")
	ben.pipe.Close()
	for info(a, 2).Connected {
		a.playTick(ann, bot)
	}
	kept(a, "after the connection is lost")
	ann.send(&pb.ClientFrame{Applied: uint32(ann.Tick()), Says: []*pb.Say{{Seq: 1, All: true, Text: "hm"}}})
	for range 5 {
		a.playTick(ann, bot)
	}

	dir := folder(t, map[string][]byte{matchID: a.killed()})
	a.end()
	b := a.revived(dir, Config{})
	b.service.cfg.Admitter = nameDoor{}
	kept(b, "after a restart")
	b.back(ann, bot)
	for n := 0; !info(b, 2).Away; n++ {
		if b.tick(); n > grace+int(gatherWait/time.Second)*b.live.rate {
			t.Fatal("who does not come back is never away")
		}
		if n == grace-3*b.live.rate {
			kept(b, "as long as seats are kept")
		}
	}
	b.with("1 - -") // the bot before was too slow
	ben = b.connect(&pb.Hello{Ticket: "2 ben Ben"}, 0)
	b.asked()
	b.until(func() bool { return !info(b, 2).Away })
	kept(b, "when the player is back")
	if ben.closing != nil {
		t.Errorf("the player who is back is told %v", ben.closing)
	}
	b.ask(func() error {
		return b.service.End(context.Background(), "ben", Ending{Match: matchID, ForGood: true, Why: link.Refusal{Code: "not_seated", Text: "you left"}})
	})
	b.until(func() bool { return info(b, 2).Out })
	if info(b, 2).Away {
		t.Error("who left for good is away")
	}
	b.refuses(&pb.Hello{Ticket: "2 carol Carol 1"}, "no_seat")
	b.end()
}

// A player who has not come yet is not away, however long the match runs.
func TestLatecomerIsNotAway(t *testing.T) {
	a := abandonable(t, time.Hour, nil)
	ann := a.join(0)
	for range int(a.service.cfg.Grace/time.Second)*a.live.rate + 2*a.live.rate {
		a.tick()
		ann.read()
	}
	if s := a.service.Matches()[0].Seats[1]; s.Away || s.Out {
		t.Errorf("the seat is %+v", s)
	}
}

// A match in which a person has taken a bot's seat is not abandoned while that person is
// there, and is without a person; in a saved world as in one played on.
func TestTakerOfASeatCountsAsAPerson(t *testing.T) {
	spec := Spec{
		ID: matchID, Map: flatMap(48), Rules: mustRules(t), Seed: 7, TickRate: 20, Options: sim.Options{AbandonMs: 1000},
		Seats: []SeatSpec{{Team: 0}, {Team: 1, Start: 1, Bot: true}},
	}
	w, err := sim.New(spec.Setup())
	if err != nil {
		t.Fatal(err)
	}
	w.Step([]sim.Input{{Kind: sim.InputJoined, Slot: 0}, {Kind: sim.InputJoined, Slot: 1}})
	w.Step([]sim.Input{{Kind: sim.InputTaken, Slot: 1, Text: sim.TakenText("carol", "Carol")}, {Kind: sim.InputAway, Slot: 0}})
	back, err := sim.Restore(spec.Setup(), w.Save(nil))
	if err != nil {
		t.Fatal(err)
	}
	for name, w := range map[string]*sim.World{"played on": w, "restored": back} {
		for range 60 {
			w.Step(nil)
		}
		if r := w.Result(); r != nil {
			t.Errorf("%s: the match is over: %+v", name, r)
		}
		w.Step([]sim.Input{{Kind: sim.InputAway, Slot: 1}})
		for range 60 {
			w.Step(nil)
		}
		if r := w.Result(); r == nil || r.Reason != "abandoned" {
			t.Errorf("%s: nobody is there, and the match goes on: %+v", name, r)
		}
	}
}

func mustRules(t *testing.T) *rules.Ruleset {
	t.Helper()
	r, err := rules.Shipped("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	return r
}
