package match

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/view"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// nodeURL is the address to which the tests' matches move.
const nodeURL = "https://node-2.example.org"

// Short names for kinds of orders, as the scenes have many.
const (
	kMove         = pb.OrderKind_ORDER_KIND_MOVE
	kAttackMove   = pb.OrderKind_ORDER_KIND_ATTACK_MOVE
	kAttack       = pb.OrderKind_ORDER_KIND_ATTACK
	kAttackGround = pb.OrderKind_ORDER_KIND_ATTACK_GROUND
	kHold         = pb.OrderKind_ORDER_KIND_HOLD
	kPatrol       = pb.OrderKind_ORDER_KIND_PATROL
	kFollow       = pb.OrderKind_ORDER_KIND_FOLLOW
	kHarvest      = pb.OrderKind_ORDER_KIND_HARVEST
	kBuild        = pb.OrderKind_ORDER_KIND_BUILD
	kTrain        = pb.OrderKind_ORDER_KIND_TRAIN
	kRally        = pb.OrderKind_ORDER_KIND_RALLY
	kAbility      = pb.OrderKind_ORDER_KIND_ABILITY
	kStopAbility  = pb.OrderKind_ORDER_KIND_STOP_ABILITY
	kCancel       = pb.OrderKind_ORDER_KIND_CANCEL
	kStop         = pb.OrderKind_ORDER_KIND_STOP
	kSurrender    = pb.OrderKind_ORDER_KIND_SURRENDER
)

// to orders units to a tile.
func (c *vectorClient) to(kind pb.OrderKind, units []uint32, x, y int32) uint32 {
	return c.order(&pb.Order{Kind: kind, Units: units, To: at(x, y)})
}

// playBase plays two allies who build, train, harvest and talk.
func playBase(t testing.TB) *vectorFile {
	v := newVectorMatch(t, "Two allies build, train, harvest, scout, talk, and are refused some orders.", vectorMap(grid.OcclusionHighGround), nil)
	a := v.player(0, asksFog, "A player who derives its fog: the own part, answers, what allies say, ghosts.")
	b := v.player(1, asksFog, "")
	c := v.player(2, asksNothing, "An ally of the first who is sent the rows of the mask, and for a while asks for a frame a second.")
	v.run(2)
	workers, centre := a.mine("worker"), a.mine("command-centre")
	a.order(&pb.Order{Kind: kBuild, Units: workers[:1], What: a.typ("tower"), To: &pb.Point{X: 15 << 10, Y: 9 << 10}})
	a.order(&pb.Order{Kind: kHarvest, Units: workers[1:], Target: a.of(grid.NoSlot, "ore-field")[0]})
	a.order(&pb.Order{Kind: kTrain, Units: centre, What: a.typ("worker")})
	a.order(&pb.Order{Kind: kTrain, Units: centre, What: a.typ("scout")})
	a.order(&pb.Order{Kind: kTrain, Units: a.mine("barracks"), What: a.typ("soldier")})
	a.to(kRally, a.mine("barracks"), 14, 13)
	a.to(kRally, centre, 14, 8)
	v.run(4)
	a.order(&pb.Order{Kind: kCancel, Units: centre, What: 1})
	a.order(&pb.Order{Kind: kRally, Units: centre})
	a.order(&pb.Order{Kind: kMove, Units: append([]uint32{9999}, a.mine("soldier")...), To: at(14, 14)})
	a.order(&pb.Order{Kind: kMove, Units: []uint32{9999}, To: at(13, 14)})
	a.to(kAbility, a.mine("soldier"), 1, 1) // they have no such ability
	a.say(false, "team")
	a.say(true, "all")
	a.ping(pb.PingKind_PING_KIND_LOOK, at(20, 10))
	v.run(2)
	b.say(false, "not for others")
	b.say(true, "hello")
	c.say(false, "ally")
	c.ping(pb.PingKind_PING_KIND_DANGER, at(21, 10))
	c.ping(pb.PingKind_PING_KIND_HELP, at(22, 10))
	c.send(&pb.ClientFrame{Pace: &pb.Pace{FramesPerS: 1}})
	a.order(&pb.Order{Kind: kAbility, Units: a.mine("scout"), What: a.ability("sprint")})
	a.to(kMove, a.mine("scout"), 28, 12)
	a.to(kPatrol, a.mine("raider"), 14, 4)
	a.order(&pb.Order{Kind: kFollow, Units: a.mine("detector"), Target: a.mine("raider")[0]})
	a.order(&pb.Order{Kind: kHold, Units: a.mine("artillery")})
	c.order(&pb.Order{Kind: kBuild, Units: c.mine("worker")[:1], What: c.typ("barracks"), To: &pb.Point{X: 15<<10 + 512, Y: 9<<10 + 512}})
	c.order(&pb.Order{Kind: kHarvest, Units: c.mine("worker")[1:], Target: c.of(grid.NoSlot, "ore-field")[0]})
	b.order(&pb.Order{Kind: kStop, Units: b.mine("worker")[1:]}) // no way to the resources leads through the scene
	b.order(&pb.Order{Kind: kBuild, Units: b.mine("worker")[:1], What: b.typ("wall"), To: &pb.Point{X: 27<<10 + 512, Y: 12<<10 + 512}})
	v.run(9)
	a.order(&pb.Order{Kind: kAbility, Units: a.mine("caster"), What: a.ability("scan"), To: at(36, 20)})
	v.run(28)
	a.to(kMove, a.mine("scout"), 16, 12)
	v.run(35)
	a.order(&pb.Order{Kind: kAttack, Units: a.mine("scout"), Target: a.ghost("wall")}) // it shall be remembered with its damage
	v.run(28)
	a.to(kMove, a.mine("scout"), 15, 10)
	v.run(35)
	all := []*vectorClient{b, a, c}
	wish := func(percent uint32, paused bool) { // one after the other
		for _, x := range all {
			x.send(&pb.ClientFrame{SetSpeed: &pb.SetSpeed{Percent: percent, Paused: paused}})
			v.run(3)
		}
	}
	wish(200, false)
	wish(200, true)
	c.say(false, "in the pause")
	v.run(15)
	a.send(&pb.ClientFrame{SetSpeed: &pb.SetSpeed{Percent: 200}})
	v.run(5)
	b.send(&pb.ClientFrame{Vote: &pb.Vote{Kind: kRemake, Yes: true}})
	v.run(3)
	a.send(&pb.ClientFrame{Vote: &pb.Vote{Kind: kRemake}})
	v.run(3)
	a.send(&pb.ClientFrame{Vote: &pb.Vote{Kind: kKick, Slot: 60, Yes: true}})
	v.run(5)
	for _, percent := range []int32{80, 100} { // the server is busy for a while
		v.m.host.pace.percent.Store(percent)
		v.m.speed.followPace()
		v.run(5)
	}
	return v.done()
}

// playBeats is a fight at a rate at which not every tick is a beat: frames over two ticks, some skipped, and partial
// frames.
func playBeats(t testing.TB) *vectorFile {
	v := newVectorMatch(t, "Twenty ticks a second: what a team sees is told at every second tick, answers and chat at any.", vectorMap(grid.OcclusionHighGround),
		func(s *Spec, _ *Config) { s.TickRate = 20 })
	a := v.player(0, asksFog|asksPacked, "A player who derives its fog and reads packed rows.")
	b := v.player(1, asksNothing, "The other team's player, who is sent the rows of the mask.")
	v.run(3)
	a.to(kMove, a.mine("soldier"), 19, 12)
	b.to(kAttackMove, b.mine("soldier", "scout"), 15, 10)
	v.run(20)
	a.say(true, "at an odd tick or at an even one")
	v.run(1)
	b.say(true, "at the other")
	v.run(26)
	a.to(kAttackMove, a.mine("soldier"), 24, 14)
	v.run(31)
	return v.done()
}

// playBattle is a fight of all arms.
func playBattle(t testing.TB) *vectorFile {
	v := newVectorMatch(t, "A fight: fire, health, abilities, death and what the dead see.", vectorMap(grid.OcclusionHighGround), nil)
	a := v.player(0, asksFog, "A player who derives its fog and takes each frame.")
	b := v.player(1, asksFog|asksPacked, "The other team's player, who reads packed rows and asks for two frames a second: spans, skipped ticks, several hits between two frames.")
	v.run(2)
	b.send(&pb.ClientFrame{Pace: &pb.Pace{FramesPerS: 2}})
	a.order(&pb.Order{Kind: kAttackGround, Units: a.mine("artillery"), To: at(16, 9), Request: 77})
	a.order(&pb.Order{Kind: kAbility, Units: a.mine("caster"), What: a.ability("burn"), To: at(13, 13)})
	a.to(kMove, a.mine("soldier"), 19, 12)
	a.order(&pb.Order{Kind: kAbility, Units: a.mine("detector"), What: a.ability("shield"), Target: a.mine("soldier")[0], Request: 79})
	a.to(kMove, a.mine("detector"), 18, 13)
	b.to(kMove, b.mine("artillery"), 33, 12)
	a.order(&pb.Order{Kind: kHarvest, Units: a.mine("worker"), Target: a.of(grid.NoSlot, "ore-field")[0]})
	v.run(8)
	b.order(&pb.Order{Kind: kAbility, Units: b.mine("raider"), What: b.ability("cloak")})
	b.order(&pb.Order{Kind: kMove, Units: b.mine("raider"), To: at(19, 11), Queued: true})
	v.run(30)
	a.order(&pb.Order{Kind: kAbility, Units: a.mine("artillery"), What: a.ability("deploy")})
	b.order(&pb.Order{Kind: kAttackGround, Units: b.mine("artillery"), To: a.edge(19, 12), Request: 78})
	v.run(40)
	b.to(kAttackMove, b.mine("soldier", "caster", "scout"), 15, 10)
	v.run(30)
	foes := b.of(0, "soldier", "artillery", "detector", "worker")
	b.order(&pb.Order{Kind: kAbility, Units: b.mine("caster"), What: b.ability("slow"), Target: foes[0], Request: 80})
	b.order(&pb.Order{Kind: kAttack, Units: b.mine("soldier", "raider"), Target: b.of(0, "detector")[0]})
	v.run(60)
	return v.done()
}

// edge returns the end of the client's sight, from a tile to the east.
func (c *vectorClient) edge(x, y int16) *pb.Point {
	for c.read.Fog.Visible(grid.Tile{X: x + 1, Y: y}) {
		x++
	}
	return at(int32(x), int32(y))
}

// playLinks plays clients whose connections break.
func playLinks(t testing.TB) *vectorFile {
	v := newVectorMatch(t, "Connections that break, stall and are narrow.", vectorMap(grid.OcclusionLineOfSight), func(_ *Spec, cfg *Config) {
		cfg.BytesPerS = 4000
		cfg.Servers = func() []string { return []string{nodeURL, "https://node-3.example.org"} }
	})
	a := v.player(0, asksFog|asksPacked, "A player who reads packed rows and whose connection breaks: it goes on from the frame it had, then begins anew with a snapshot, then asks for one.")
	b := v.player(1, asksNothing, "A player with the least budget there is, and whose outbox is full for a while.")
	c := v.player(2, asksFog, "")
	v.run(5)
	b.send(&pb.ClientFrame{Pace: &pb.Pace{FramesPerS: 1}})
	for _, x := range []int32{23, 16, 23, 16, 23, 16} { // in and out of sight of the other base
		a.order(&pb.Order{Kind: kMove, Units: a.mine("scout"), To: at(x, 12), Queued: true, Together: true})
	}
	v.run(6)
	a.to(kMove, a.mine("soldier", "raider"), 16, 14)
	b.to(kMove, b.mine("soldier", "raider"), 31, 16)
	v.run(20)
	b.send(&pb.ClientFrame{Pace: &pb.Pace{BytesPerS: 512}})
	b.send(&pb.ClientFrame{Camera: &pb.Camera{X: 30, Y: 12, Radius: 8}})
	sees := func() bool { return len(c.of(1, "barracks")) > 0 }
	v.until(sees)
	v.run(2)
	a.cut()
	v.until(func() bool { return !sees() })
	v.until(sees) // it left and entered
	v.run(2)
	a.back(true)
	v.until(func() bool { return !sees() })
	v.run(2)
	a.cut()
	v.until(sees)
	v.until(func() bool { return !sees() }) // its ghost went and came
	v.run(2)
	a.back(true)
	a.to(kAttackMove, a.mine("soldier", "raider"), 23, 12)
	b.to(kAttackMove, b.mine("soldier", "scout", "raider"), 20, 12)
	v.run(20)
	b.stalled = true
	a.cut()
	v.run(8)
	a.back(false)
	v.run(5)
	b.stalled = false
	v.run(10)
	a.send(&pb.ClientFrame{Resync: true})
	in := (&Budget{BytesPerS: 2000}).input()
	v.m.output.takeBudget(&in)
	v.run(15)
	v.m.refuse(a.conn, link.Moved(nodeURL))
	v.run(3)
	a.back(false)
	v.run(3)
	v.m.endSeats("account 0", Ending{ForGood: true, Why: link.Refusal{Code: "kicked", Text: "told to go"}})
	v.run(5)
	v.m.close()
	b.take()
	return v.done()
}

// finishWithHash builds towers until one is finished in a tick in which the frame has the
// mask's hash: a finished tower sees further, and the hash has that.
func (c *vectorClient) finishWithHash() {
	c.v.t.Helper()
	worker := c.mine("worker")[1:]
	c.to(kMove, c.mine("scout", "soldier"), 18, 14) // they stand in the way
	c.v.run(25)
	c.to(kMove, worker, 14, 7)
	c.v.run(35)
	const towers, second = 5, vectorRate
	takes := grid.Tick(0) // from the order on
	for n := range int32(towers) {
		for n > 0 && (c.v.now()+takes)%second != 0 {
			c.v.run(1)
		}
		from := c.v.now()
		c.order(&pb.Order{Kind: kBuild, Units: worker, What: c.typ("tower"), To: &pb.Point{X: 16 << 10, Y: (8 + 2*n) << 10}})
		finished := func() bool {
			all := c.mine("tower")
			return len(all) > int(n)+1 && !slices.ContainsFunc(all, func(h uint32) bool {
				return c.read.Replica.Entities[grid.Handle(h)].Values[view.ValueFlags]&uint32(pb.EntityFlag_ENTITY_FLAG_BUILDING) != 0
			})
		}
		c.v.until(finished)
		if c.v.now()%second == 0 {
			return
		}
		takes = c.v.now() - from
	}
	c.v.t.Fatalf("tick %d: of %d towers none was finished with a hash", c.v.now(), towers)
}

// playSpectators plays a match for spectators, late and live.
func playSpectators(t testing.TB) *vectorFile {
	v := newVectorMatch(t, "Spectators of a short match, to its end.", vectorMap(grid.OcclusionHighGround), func(s *Spec, _ *Config) {
		s.Spectators, s.SpectatorDelay = 4, time.Second
		s.Seats = s.Seats[:2]
		s.Options.Mode, s.Options.TimeLimitMs, s.Options.ScoreLimit = "deathmatch", 600_000, 90_000
	})
	a, b := v.player(0, asksFog, ""), v.player(1, asksFog, "")
	v.spectator(grid.NoTeam, 2*time.Second, asksFog|asksPacked, "All eyes, two seconds late, deriving the fog, with packed rows.")
	v.spectator(1, time.Second, asksNothing, "Team 1's eyes, a second late, with the rows of the mask.")
	v.run(3)
	a.order(&pb.Order{Kind: kTrain, Units: a.mine("barracks"), What: a.typ("soldier")})
	a.to(kAttackMove, a.mine("soldier", "raider", "scout"), 24, 12)
	b.to(kAttackMove, b.mine("soldier", "raider", "scout"), 24, 12)
	a.say(true, "watch this")
	v.run(75)
	b.order(&pb.Order{Kind: kSurrender})
	v.run(90)
	return v.done()
}

// factionRules reads a ruleset of the shipped types, and gives it two factions: the second one makes fewer types.
func factionRules(t testing.TB, text string) *rules.Ruleset {
	t.Helper()
	out, err := rules.Parse("factions.json", []byte(strings.Replace(text, `"weapons": [`, `"factions": [
    {"name": "north", "text": "All types.", "color": "#2040ff"},
    {"name": "south", "trains": ["worker", "scout", "soldier", "artillery", "caster", "flyer", "raider"], "builds": ["command-centre", "barracks", "factory"]}],
  "weapons": [`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// playMode is a mode with values of its own: an open one, and one for each team alone.
func playMode(t testing.TB) *vectorFile {
	v := newVectorMatch(t, "A mode that shows values, and its end; two factions.", vectorMap(grid.OcclusionNone), func(s *Spec, _ *Config) {
		s.Options.Mode, s.Seats = "valued", s.Seats[:2]
		s.Rules = valuedRules(t, string(factionRules(t, string(s.Rules.Source)).Source), s.Map, "wave = 5, every = 3, at = 0")
		s.Seats[0].Faction, s.Seats[1].Faction = 1, 2
		s.Seats[1].Handicap = grid.Handicap{Start: 50, Income: 150, Damage: 80}
	})
	a := v.player(0, asksFog, "Knows its own team's value, and the other's once the match is over.")
	v.player(1, asksFog, "")
	v.run(16)
	a.send(&pb.ClientFrame{Vote: &pb.Vote{Kind: kGiveUp, Yes: true}})
	v.run(5)
	return v.done()
}

// playGround is a match on a map with features: trees in lines of sight, one of which falls out of sight of a team, and crates.
func playGround(t testing.TB) *vectorFile {
	m := vectorMap(grid.OcclusionLineOfSight)
	for y := int16(9); y < 17; y += 2 {
		m.Features = append(m.Features, grid.Feature{Type: "tree", At: grid.Tile{X: 14, Y: y}}, grid.Feature{Type: "tree", At: grid.Tile{X: 29, Y: y}})
	}
	m.Features = append(m.Features, grid.Feature{Type: "crate", At: grid.Tile{X: 17, Y: 12}, Link: 3}, grid.Feature{Type: "crate", At: grid.Tile{X: 33, Y: 18}})
	v := newVectorMatch(t, "Trees that fall in lines of sight, and crates that are taken and come back; repairs and passengers.", m, func(s *Spec, _ *Config) {
		s.Seats, s.Rules = s.Seats[:2], moversRules(t, string(s.Rules.Source))
	})
	a := v.player(0, asksFog, "A player who derives its fog, also past trees.")
	b := v.player(1, asksFog|asksPacked, "The other player.")
	v.run(2)
	tree := func(c *vectorClient, x int32) uint32 {
		for h, g := range c.read.Replica.Ghosts {
			if g.Pos.X>>10 == x && c.read.Welcome.Types[g.Type].Name == "tree" && g.Pos.Y>>10 == 13 {
				return uint32(h)
			}
		}
		for h, e := range c.read.Replica.Entities {
			if p := c.read.Replica.Pos(e, c.read.Replica.Tick); p.X>>10 == x && c.read.Welcome.Types[e.Type].Name == "tree" && p.Y>>10 == 13 {
				return uint32(h)
			}
		}
		t.Fatalf("no tree at %d,13", x)
		return 0
	}
	centre, workers := a.mine("command-centre"), a.mine("worker")
	a.order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_BOARD, Units: workers[:1], Target: centre[0]})
	a.order(&pb.Order{Kind: kAttack, Units: a.mine("scout"), Target: centre[0]}) // it needs repair then
	v.run(40)
	a.order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_REPAIR, Units: workers[1:], Target: centre[0]})
	a.to(pb.OrderKind_ORDER_KIND_UNLOAD, centre, 8, 8)
	a.to(kMove, a.mine("scout"), 17, 12)
	a.order(&pb.Order{Kind: kAttack, Units: a.mine("soldier"), Target: tree(a, 14)})
	b.order(&pb.Order{Kind: kAttack, Units: b.mine("soldier"), Target: tree(b, 29)})
	v.run(60)
	a.to(kMove, a.mine("scout"), 27, 13)
	v.run(60)
	return v.done()
}

// moversRules are rules in which workers repair, fit into the command centre, and trees leave ore.
func moversRules(t testing.TB, text string) *rules.Ruleset {
	t.Helper()
	for _, at := range []struct{ old, more string }{
		{`{"name": "worker", `, `"slots": 2, "repairs": {"types": ["command-centre"]}, `},
		{`{"name": "tree", `, `"shore": true, "wreck": {"type": "ore-field"}, `},
		{`{"name": "command-centre", `, `"transport": {"slots": 4, "types": ["worker"], "range": 3}, `},
	} {
		if !strings.Contains(text, at.old) {
			t.Fatalf("the rules have no %s", at.old)
		}
		text = strings.Replace(text, at.old, at.old+at.more, 1)
	}
	out, err := rules.Parse("movers.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// playEnd is a match to its end, in which a player learns that others are away, another
// person, defeated and gone.
func playEnd(t testing.TB) *vectorFile {
	v := newVectorMatch(t, "Some towers; then players who are away, have a bot play on, take a bot's seat over, give up and leave; the end.", vectorMap(grid.OcclusionNone),
		func(_ *Spec, cfg *Config) { cfg.Grace = time.Second })
	a := v.player(0, asksFog, "The one who wins.")
	b := v.player(1, asksFog, "")
	c := v.player(2, asksFog, "")
	v.run(3)
	a.finishWithHash()
	c.cut()
	v.run(15) // longer than seats are kept
	c.back(true)
	v.run(3)
	b.cut()
	v.run(15)
	v.m.spec.Options.Leavers = sim.LeaversBot // so that one match has both rules
	v.join("Bot", Seat{Slot: 1, StandIn: true}, asksNothing, "A bot that plays on.")
	v.run(3)
	b.back(true)
	v.run(3)
	v.join("Di", Seat{Slot: 2, Account: "account 2", Name: "Di"}, asksNothing, "Who takes a bot's seat over.")
	v.run(3)
	v.m.endSeats("account 2", Ending{ForGood: true, Why: link.Refusal{Code: "kicked", Text: "away for too long"}})
	v.run(3)
	b.order(&pb.Order{Kind: kSurrender})
	v.run(5)
	for _, st := range v.m.seats.all {
		if st.conn != nil {
			st.conn.dismiss(v.m.farewell())
		}
	}
	a.take()
	return v.done()
}
