//go:build !race

package match

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/internal/leak"
	"github.com/fogkeep/fogkeep/match/client"
	"github.com/fogkeep/fogkeep/match/feed"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/poll"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/sim/simtest"
	"github.com/fogkeep/fogkeep/orders"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// fieldMatch is a live match that is played by hand, tick by tick, in one goroutine:
// players with good and bad links, and spectators. Its players act so that messages have
// each field of the schema. All that is sent is kept, and all that happens is written
// down.
type fieldMatch struct {
	harness
	t       *testing.T
	truth   *sim.World // fed the same inputs
	h       *history
	seats   []*fieldSeat // players by slot, then spectators
	ended   grid.Tick
	script  []scripted
	players int
}

// fieldSeat is a receiver and the client at its end of the link.
type fieldSeat struct {
	*receiver
	playerClient
	who   Seat
	tick  grid.Tick // it holds
	pace  *pb.Pace
	cuts  []cut
	joins grid.Tick // it comes at this tick; 0: as the match begins
	sends bool      // a bot or an adversary plays the seat
	mute  bool      // no message goes through its link
}

// cut is a link that breaks at a tick and is mended at another.
type cut struct {
	at, back grid.Tick
	anew     bool // it comes back without state
	taken    bool // a person takes the bot's seat over here
}

// scripted is a player's message at a tick.
type scripted struct {
	at   grid.Tick
	slot int
	send func(s *fieldSeat, f *pb.ClientFrame)
}

const fieldDelay = 2 * time.Second

// fieldMap is neither square nor whole blocks of tiles, with high ground.
func fieldMap() *grid.Map {
	m := grid.NewMap("fields", 44, 36)
	m.Starts = []grid.Tile{{X: 7, Y: 7}, {X: 7, Y: 28}, {X: 36, Y: 7}, {X: 36, Y: 28}, {X: 22, Y: 30}}
	m.Occlusion = grid.OcclusionHighGround
	for y := int16(14); y < 19; y++ {
		for x := int16(18); x < 24; x++ {
			m.Levels[m.Index(grid.Tile{X: x, Y: y})] = 2
		}
	}
	m.Resources = []grid.Tile{{X: 3, Y: 12}, {X: 3, Y: 24}, {X: 40, Y: 12}, {X: 40, Y: 24}, {X: 22, Y: 3}, {X: 27, Y: 32}}
	m.Features = []grid.Feature{{Type: "crate", At: grid.Tile{X: 18, Y: 11}}, {Type: "medicine", At: grid.Tile{X: 2, Y: 34}}, {Type: "crate", At: grid.Tile{X: 41, Y: 33}}, {Type: "lever", At: grid.Tile{X: 20, Y: 25}}}
	return m
}

// fieldRules are the rules with a landmark, and a second weapon for soldiers.
func fieldRules(t *testing.T) *rules.Ruleset {
	t.Helper()
	const one = `"weapons": ["rifle"]`
	text := string(landmarkRules(t).Source)
	if !strings.Contains(text, one) {
		t.Fatalf("the shipped rules have no %s", one)
	}
	text = strings.ReplaceAll(text, one, `"weapons": ["rifle", "carbine"]`)
	// No unit has these weapons: the welcome tells of them.
	const last = `{"name": "tower-gun",`
	text = strings.Replace(text, last, `{"name": "repeater", "range": 4, "damage": 1, "burst": 3, "burst_interval": 0.2, "alternate": "carbine"},
    {"name": "mortar", "projectile": {"type": "shell", "speed": 8, "lob": 2, "split": {"count": 2, "into": "sting"}}},
    {"name": "seeker", "projectile": {"type": "shell", "speed": 8, "homing": true, "steered": true, "bounces": 1}},
    {"name": "sting", "projectile": {"type": "shell", "speed": 8, "pierces": 2}},
    `+last, 1)
	const home = `"drop_off": true,`
	text = strings.Replace(text, home, home+` "transport": {"slots": 4, "types": ["worker"], "spill": true},`, 1)
	const types = `"types": [`
	text = string(factionRules(t, strings.Replace(text, types, types+`
		{"name": "crate", "class": "structure", "health": 1, "pickup": {"gives": {"ore": 60}, "respawn": 2}},
		{"name": "lever", "class": "structure", "health": 1, "switch": {}},
		{"name": "tree", "class": "structure", "health": 40, "breakable": true, "blocks_sight": true, "shore": true, "wreck": {"type": "ore-field"}},
		{"name": "mender", "speed": 2, "slots": 2, "repairs": {"types": ["tree"]}},
		{"name": "medicine", "class": "structure", "health": 1, "pickup": {"heal": 60, "respawn": 45}},`, 1)).Source)
	// Units change the values of the beacon that they see.
	const heals = `return out + [`
	text = strings.Replace(text, heals, `return out + [set_value(x, name, 1 + u.tick % 6) for x in u.near(32 * TILE) if x.type == \"beacon\" for name in [\"fame\", \"omen\"]] + [`, 1)
	// The values change seldom, and while all players are there: replays do not show absences.
	return valuedRules(t, text, fieldMap(), "wave = 100, every = 110, at = 10")
}

// The budget that the match is given while it runs, and when: after the last
// client has come back.
const (
	fogBudget   = 300_000
	fogBudgetAt = 275

	// A player asks for another speed, and the others do not. The server says that the
	// match is paused, for so many ticks.
	fogWishAt = 280
	fogWisher = 1
	fogPaused = 3
)

// The account that takes the bot's seat over while the match runs, and when.
const (
	fogTaker   = "taker"
	fogTakenAt = 64
	fogTaken   = 2
)

// newFieldMatch begins a match of three teams: slots 0 and 1, 2 and 3, and 4.
func newFieldMatch(t *testing.T, seed uint64) *fieldMatch {
	t.Helper()
	spec := Spec{
		ID: matchID, Map: fieldMap(), Rules: fieldRules(t), Pack: packHash, Seed: seed, TickRate: 20, Spectators: 8, SpectatorDelay: fieldDelay,
		Options: sim.Options{Mode: "valued", TimeLimitMs: 600_000},
		Seats: []SeatSpec{
			{Name: "a", Team: 0, Start: 0, Color: 1, Faction: 1}, {Name: "b", Team: 0, Start: 1, Color: 2, Handicap: grid.Handicap{Start: 200, Income: 50, Damage: 150}}, {Name: "c", Team: 1, Start: 2, Color: 3, Bot: true},
			{Name: "d", Team: 1, Start: 3, Color: 4}, {Name: "e", Team: 2, Start: 4, Color: 5, Faction: 2},
		},
	}
	cfg := Config{BytesPerS: 400_000, Grace: 650 * time.Millisecond, Servers: func() []string { return []string{nodeURL} }}
	fm := &fieldMatch{t: t, harness: newHarness(t, t, spec, cfg), players: len(spec.Seats)}
	var err error
	if fm.truth, err = sim.New(spec.Setup()); err != nil {
		t.Fatal(err)
	}
	fieldStage(fm.m.world)
	fieldStage(fm.truth)
	leak.Count = [4]int{}
	fm.h = newHistory(spec.Setup(), fm.truth)
	fm.h.welcomes = publicWelcome(fm.truth, &spec, cfg.BytesPerS)
	fm.h.take(fm.truth, nil, func(grid.Slot) bool { return false })
	for slot, p := range spec.Seats {
		fm.seat(&fieldSeat{receiver: &receiver{name: "player " + p.Name, slot: grid.Slot(slot), team: p.Team}, sends: true})
	}
	fm.seats[0].derives, fm.seats[0].steady = true, true
	fm.seats[fogTaken].cuts = []cut{{at: fogTakenAt - 4, back: fogTakenAt, anew: true, taken: true}}
	fm.seats[4].steady, fm.seats[4].derives = true, true
	fm.seats[3].sends, fm.seats[3].pace = false, &pb.Pace{FramesPerS: 4}
	fm.seats[1].cuts = []cut{{at: 70, back: 74}, {at: 130, back: 141, anew: true}, {at: 180, back: 190}}
	fm.seats[3].cuts = []cut{{at: 215, back: 219}, {at: 244, back: 262}} // at last for longer than the grace period: all that it has goes to a team-mate
	watch := func(name string, eyes grid.Team, delay time.Duration) *fieldSeat {
		s := &fieldSeat{receiver: &receiver{name: name, slot: grid.NoSlot, team: eyes, delay: ticksOf(delay), steady: true}}
		s.who = Seat{Match: matchID, Slot: grid.NoSlot, Account: name, Spectator: true, Eyes: eyes, Delay: delay}
		fm.seat(s)
		return s
	}
	watch("all eyes, late", grid.NoTeam, fieldDelay)
	watch("all eyes, late, derives", grid.NoTeam, fieldDelay).derives = true
	watch("eyes of team 1, late", 1, fieldDelay)
	watch("eyes of team 0, live", 0, 0)
	slow := watch("all eyes, late, few frames", grid.NoTeam, fieldDelay)
	slow.steady, slow.pace = false, &pb.Pace{FramesPerS: 3}
	slow.cuts = []cut{{at: 150, back: 160}, {at: 210, back: 222, anew: true}}
	for _, s := range fm.seats {
		fm.enter(s, false)
	}
	fm.script = fieldScript()
	return fm
}

func (fm *fieldMatch) seat(s *fieldSeat) {
	if s.orders = map[uint32]*asked{}; s.slot != grid.NoSlot {
		if s.who = (Seat{Match: matchID, Slot: s.slot, Account: s.name}); fm.m.spec.Seats[s.slot].Bot {
			s.who.Account = ""
		}
	}
	s.playerClient = newPlayerClient(newAdversary(fm.m.spec.Seed, min(s.slot, grid.Slot(fm.players-1)), fm.m.spec.Map), fm.m.spec.Map, false)
	s.adversary.begun, s.adversary.scans = true, 100 // its pace and its scans are the script's
	fm.seats = append(fm.seats, s)
}

// enter connects a seat's client.
func (fm *fieldMatch) enter(s *fieldSeat, back bool) {
	fm.t.Helper()
	hello, applied := wire.Hello{DerivesFog: s.derives, Packed: s.derives}, grid.Tick(0)
	if back {
		hello.Resume, applied = "token", s.tick
	}
	var err error
	if s.conn, err = fm.admit(hello, applied, s.who); err != nil {
		fm.t.Fatalf("%s: %v", s.name, err)
	}
	s.who.Serial = s.conn.seat.serial
	s.tokens = append(s.tokens, tokenAt{fm.m.world.Tick(), fm.m.host.newToken(s.who)})
}

func (fm *fieldMatch) receivers() (out []*receiver) {
	for _, s := range fm.seats {
		out = append(out, s.receiver)
	}
	return out
}

// step plays one tick.
func (fm *fieldMatch) step() {
	fm.t.Helper()
	now := fm.now() + 1
	for _, s := range fm.seats {
		fm.connect(s, now)
		for _, b := range s.next {
			f, err := wire.DecodeClient(b)
			if err != nil {
				fm.t.Fatalf("%s sends: %v", s.name, err)
			}
			if s.conn != nil {
				s.conn.In <- f
			}
		}
		s.next = s.next[:0]
	}
	if now%7 != 0 { // else the disk is slow
		fm.log.synced = fm.log.next
	}
	fm.elapse()
	fm.play()
	for _, s := range fm.seats {
		fm.receive(s, now)
		fm.answer(s, now)
	}
}

func (fm *fieldMatch) connect(s *fieldSeat, now grid.Tick) {
	if s.joins == now {
		fm.enter(s, false)
	}
	for _, x := range s.cuts {
		switch {
		case now == x.at && s.conn != nil:
			s.conn.HangUp()
			s.conn = nil
		case now == x.back && s.conn == nil:
			if x.taken {
				s.who.Account, s.who.Name, s.who.Serial = fogTaker, fogTaker, 0
			}
			if x.anew {
				s.tick = 0
				s.playerClient = newPlayerClient(s.adversary, fm.m.spec.Map, false)
			}
			fm.enter(s, !x.anew)
		}
	}
}

// play moves the match, and writes down its history. Players are let go soon after its
// end.
func (fm *fieldMatch) play() {
	fm.t.Helper()
	const lingers = 5
	if fm.ended != 0 && fm.m.world.Tick() == fm.ended+lingers {
		if fm.m.spectators.beyond == 0 {
			fm.letPlayersGo()
		}
		fm.turn(true)
		return
	}
	if fm.now() == fogBudgetAt {
		in := (&Budget{BytesPerS: fogBudget}).input()
		fm.m.output.takeBudget(&in)
	}
	switch now, s := fm.now(), fm.m.speed; {
	case now == fogWishAt:
		vote := poll.New(fogWisher, 0, poll.Quorum{Percent: 100}, fm.clock.Now().Add(wishMost).UnixMilli())
		s.vote, s.want = &vote, fogWish
		v, open := fm.m.votes, fm.clock.Now().Add(voteMost).UnixMilli()
		asks := func(kind pb.VoteKind, by, slot grid.Slot, team grid.Team, rule poll.Quorum) {
			v.polls = append(v.polls, question{Poll: poll.New(by, 3, rule, open), kind: kind, slot: slot, team: team})
			v.polls[len(v.polls)-1].Vote(1-by, false)
			v.changed(&v.polls[len(v.polls)-1])
		}
		asks(kKick, 0, 1, 0, poll.Quorum{Percent: 50, Least: 2}) // it cannot pass without the vote of slot 1
		asks(kRemake, 1, grid.NoSlot, grid.NoTeam, poll.Quorum{Percent: 66})
		v.refused[1] = voteLate
		s.paused, s.by, s.pauseStart = true, fogWisher, fm.clock.Now()
		fm.m.speed.changed()
		fallthrough
	case now > fogWishAt && now < fogWishAt+fogPaused:
		s.pass = true // the match is said to stand still, and goes on
	case now == fogWishAt+fogPaused:
		s.paused = false
		fm.m.speed.changed()
	}
	fm.turn(false)
	out := fm.truth.Step(fm.m.inputs.accepted)
	if fm.truth.Hash() != fm.m.world.Hash() {
		fm.t.Fatalf("tick %d: fed the same, the second world is another", fm.now())
	}
	fm.h.take(fm.truth, &out, func(slot grid.Slot) bool { return fm.seats[slot].conn != nil })
	if out.Ended != nil {
		fm.ended = out.Tick
	}
}

// receive takes the messages to a seat.
func (fm *fieldMatch) receive(s *fieldSeat, now grid.Tick) {
	fm.t.Helper()
	for s.conn != nil && !s.mute {
		var b []byte
		open := true
		select {
		case b, open = <-s.conn.Out:
		default:
			return
		}
		if !open { // it was let go
			s.conn = nil
			return
		}
		s.got = append(s.got, sent{now, append([]byte(nil), b...)})
		f, err := parse(b)
		if err != nil {
			fm.t.Fatalf("%s: %v", s.name, err)
		}
		switch {
		case f.Welcome != nil || f.Waiting != nil || f.Closing != nil:
		case f.Tick != 0:
			s.tick = grid.Tick(f.Tick)
		default:
			s.tick += grid.Tick(max(1, f.Span))
		}
		if s.slot != grid.NoSlot {
			s.take(b)
		}
	}
}

// answer lets a seat's player send a message.
func (fm *fieldMatch) answer(s *fieldSeat, now grid.Tick) {
	if s.conn == nil || s.tick == 0 || s.mute {
		return
	}
	f := &pb.ClientFrame{Applied: uint32(s.tick), Pace: s.pace}
	s.pace = nil
	if s.slot != grid.NoSlot && s.broken {
		fm.t.Fatalf("%s is at odds with what it is sent, at tick %d", s.name, now)
	}
	if s.sends && s.slot%2 == 0 && now > 40 {
		f.Orders = s.mind.Think()
		for _, o := range f.Orders {
			o.Seq = s.adversary.number()
		}
	} else if s.sends && s.slot%2 == 1 && now > 40 {
		s.adversary.think(&s.playerClient, f)
	}
	for _, x := range fm.script {
		if x.at == now && x.slot < len(fm.seats) && fm.seats[x.slot] == s {
			x.send(s, f)
		}
	}
	for _, o := range f.Orders {
		knows := !s.steady
		if s.Replica != nil {
			knows = knows || s.Replica.Entities[grid.Handle(o.Target)] != nil || ghostOf(s.Replica, o.Target)
		}
		s.orders[o.Seq] = &asked{o, now, knows}
	}
	for i, x := range f.Says {
		x.Text = fmt.Sprintf("%s, tick %d, line %d", s.name, now, i)
		s.orders[x.Seq] = &asked{at: now}
	}
	for _, x := range f.Pings {
		s.orders[x.Seq] = &asked{at: now}
	}
	b, err := proto.Marshal(f)
	if err != nil {
		fm.t.Fatal(err)
	}
	s.next = append(s.next, b)
}

func ghostOf(r *client.Replica, handle uint32) bool {
	_, ok := r.Ghosts[grid.Handle(handle)]
	return ok
}

// fieldStage sets up a use of each field early on.
func fieldStage(w *sim.World) {
	edit := simtest.Edit(w)
	add := func(slot grid.Slot, name string, x, y int) *sim.Entity {
		typ, _ := w.Rules().TypeByName(name)
		e := edit.Add(slot, typ, grid.Tile{X: int16(x), Y: int16(y)}.Center())
		if e == nil {
			panic(fmt.Sprint("no room for a ", name, " at ", x, ", ", y))
		}
		return e
	}
	for slot, at := range []grid.Tile{{X: 12, Y: 13}, {X: 13, Y: 18}, {X: 31, Y: 13}, {X: 30, Y: 18}} {
		x, y := int(at.X), int(at.Y)
		s := grid.Slot(slot)
		add(s, "caster", x, y)
		add(s, "caster", x, y+1)
		add(s, "raider", x+1, y)
		add(s, "detector", x, y+2)
		add(s, "flyer", x+1, y+1)
	}
	add(0, "barracks", 3, 17)
	add(0, "factory", 8, 17)
	add(2, "barracks", 40, 17)
	add(2, "factory", 34, 17)
	// A quarrel, with units that will fall in it.
	for i := range 3 {
		edit.SetHealth(add(0, "soldier", 15+i, 9), int32(30+30*i))
		add(2, "soldier", 15+i, 12)
	}
	wound := func(e *sim.Entity, hp int32) {
		edit.SetHealth(e, hp)
		edit.SetShield(e, 12)
	}
	wound(add(2, "tower", 18, 8), 30)
	edit.SetHealth(add(2, "flyer", 16, 6), 20)
	edit.SetHealth(add(2, "barracks", 22, 11), 100)
	for i := range 3 {
		edit.SetHealth(add(1, "soldier", 15+i, 26), 90)
		add(4, "soldier", 16+i, 29)
	}
	wound(add(1, "tower", 12, 30), 40)
	edit.SetHealth(add(1, "flyer", 17, 28), 15)
	// The landmark goes from hand to hand, and markers stand in the sight of others.
	for i := range 2 {
		edit.Order(add(0, "soldier", 20+i, 14), orders.Hold, grid.Tile{X: int16(20 + i), Y: 14}.Center(), false)
	}
	add(0, "marker", 16, 10)
	add(2, "marker", 17, 11)
	edit.Order(add(4, "artillery", 20, 23), orders.AttackGround, grid.Tile{X: 12, Y: 28}.Center(), false)
	edit.Order(add(2, "artillery", 26, 10), orders.AttackGround, grid.Tile{X: 17, Y: 9}.Center(), false)
}

// order appends an order of units of a type.
func (s *fieldSeat) order(f *pb.ClientFrame, name string, most int, o *pb.Order) {
	o.Units = append(s.own(name, most), o.Units...)
	o.Seq = s.adversary.number()
	f.Orders = append(f.Orders, o)
}

func (s *fieldSeat) own(name string, most int) []uint32 {
	return s.adversary.own(&s.playerClient, most, func(ti *pb.TypeInfo) bool { return ti.Name == name })
}

// inSight returns the handle of a thing of a type that the seat's client sees, its own or
// another's.
func (s *fieldSeat) inSight(name string, own bool) uint32 {
	for _, h := range s.Replica.Handles() {
		e := s.Replica.Entities[h]
		if s.Welcome.Types[e.Type].Name == name && (e.Owner == s.slot) == own {
			return uint32(h)
		}
	}
	return 0
}

func (s *fieldSeat) typ(name string) uint32 { return s.adversary.typeNamed(&s.playerClient, name) }

func (s *fieldSeat) ability(name string) uint32 {
	for i, a := range s.Welcome.Abilities {
		if a.Name == name {
			return uint32(i)
		}
	}
	return 0
}

func tileTo(x, y int32) *pb.Point { return &pb.Point{X: x*1024 + 512, Y: y*1024 + 512} }

// fieldScript has the players' messages that make the server use each field.
func fieldScript() (out []scripted) {
	at := func(t grid.Tick, slot int, send func(s *fieldSeat, f *pb.ClientFrame)) {
		out = append(out, scripted{t, slot, send})
	}
	use := func(t grid.Tick, slot int, with, ability string, to *pb.Point, units int) {
		at(t, slot, func(s *fieldSeat, f *pb.ClientFrame) {
			s.order(f, with, units, &pb.Order{Kind: pb.OrderKind_ORDER_KIND_ABILITY, What: s.ability(ability), To: to})
		})
	}
	// Something that is being built is seen while a scan lasts.
	at(4, 2, func(s *fieldSeat, f *pb.ClientFrame) {
		s.order(f, "worker", 2, &pb.Order{Kind: pb.OrderKind_ORDER_KIND_BUILD, What: s.typ("barracks"), To: tileTo(36, 13)})
	})
	use(60, 0, "command-centre", "scan", tileTo(36, 11), 1)
	use(120, 2, "command-centre", "scan", tileTo(7, 16), 1)
	use(230, 1, "command-centre", "scan", tileTo(34, 14), 1)
	use(10, 0, "caster", "burn", tileTo(16, 12), 1)
	use(12, 2, "caster", "burn", tileTo(28, 12), 1)
	use(14, 0, "artillery", "deploy", nil, 1)
	use(14, 2, "artillery", "deploy", nil, 3) // a scan will find them
	use(14, 0, "scout", "sprint", nil, 1)
	cast := func(t grid.Tick, slot int, with, ability, at string, own bool) {
		out = append(out, scripted{t, slot, func(s *fieldSeat, f *pb.ClientFrame) {
			s.order(f, with, 1, &pb.Order{Kind: pb.OrderKind_ORDER_KIND_ABILITY, What: s.ability(ability), Target: s.inSight(at, own), Request: 600 + uint32(t)})
		}})
	}
	for i := range grid.Tick(5) {
		cast(18+50*i, 0, "detector", "shield", "soldier", true)
		cast(20+50*i, 2, "detector", "shield", "soldier", true)
		cast(24+50*i, 0, "caster", "slow", "soldier", false)
		cast(26+50*i, 2, "caster", "slow", "soldier", false)
	}
	use(16, 0, "raider", "cloak", nil, 1)
	use(16, 3, "raider", "cloak", nil, 1)
	at(200, 0, func(s *fieldSeat, f *pb.ClientFrame) {
		s.order(f, "raider", 1, &pb.Order{Kind: pb.OrderKind_ORDER_KIND_STOP_ABILITY, What: s.ability("cloak")})
	})
	for i := range grid.Tick(6) {
		at(20+40*i, 0, func(s *fieldSeat, f *pb.ClientFrame) {
			s.order(f, "flyer", 1, &pb.Order{Kind: pb.OrderKind_ORDER_KIND_ATTACK_GROUND, To: tileTo(15, 14), Request: 700 + uint32(i)})
			s.order(f, "scout", 1, &pb.Order{Kind: pb.OrderKind_ORDER_KIND_MOVE, To: tileTo(4+5*int32(i), 20), Units: []uint32{900, 901}})
		})
		at(22+40*i, 3, func(s *fieldSeat, f *pb.ClientFrame) {
			s.order(f, "flyer", 1, &pb.Order{Kind: pb.OrderKind_ORDER_KIND_ATTACK_GROUND, To: tileTo(29, 24), Request: 800 + uint32(i)})
			s.order(f, "scout", 1, &pb.Order{Kind: pb.OrderKind_ORDER_KIND_MOVE, To: tileTo(15+4*int32(i), 26)})
		})
		at(24+40*i, 2, func(s *fieldSeat, f *pb.ClientFrame) {
			f.Says = append(f.Says, &pb.Say{Seq: s.adversary.number(), All: i%2 == 0})
			f.Pings = append(f.Pings, &pb.MapPing{Seq: s.adversary.number(), Kind: pb.PingKind(1 + i%3), At: tileTo(30, 9)})
		})
		at(26+40*i, 1, func(s *fieldSeat, f *pb.ClientFrame) {
			f.Says = append(f.Says, &pb.Say{Seq: s.adversary.number(), All: i%2 == 1})
			f.Pings = append(f.Pings, &pb.MapPing{Seq: s.adversary.number(), Kind: pb.PingKind(1 + i%3), At: tileTo(9, 26)})
		})
	}
	at(30, 0, func(s *fieldSeat, f *pb.ClientFrame) {
		for range 3 {
			s.order(f, "barracks", 1, &pb.Order{Kind: pb.OrderKind_ORDER_KIND_TRAIN, What: s.typ("soldier")})
		}
		s.order(f, "barracks", 1, &pb.Order{Kind: pb.OrderKind_ORDER_KIND_RALLY, To: tileTo(10, 14)})
		s.order(f, "worker", 1, &pb.Order{Kind: pb.OrderKind_ORDER_KIND_BUILD, What: s.typ("wall"), To: tileTo(10, 10)})
		s.order(f, "worker", 4, &pb.Order{Kind: pb.OrderKind_ORDER_KIND_HARVEST, To: tileTo(4, 12)})
	})
	at(40, 0, func(s *fieldSeat, f *pb.ClientFrame) {
		s.order(f, "worker", 2, &pb.Order{Kind: pb.OrderKind_ORDER_KIND_BOARD, Target: s.inSight("command-centre", true)})
	})
	at(190, 0, func(s *fieldSeat, f *pb.ClientFrame) {
		s.order(f, "command-centre", 1, &pb.Order{Kind: pb.OrderKind_ORDER_KIND_UNLOAD, To: tileTo(8, 12)})
	})
	at(34, 0, func(s *fieldSeat, f *pb.ClientFrame) {
		s.order(f, "worker", 1, &pb.Order{Kind: pb.OrderKind_ORDER_KIND_FIRE, What: orders.FireHold})
		s.order(f, "barracks", 1, &pb.Order{Kind: pb.OrderKind_ORDER_KIND_CANCEL, What: 1})
		s.order(f, "command-centre", 1, &pb.Order{Kind: pb.OrderKind_ORDER_KIND_TRAIN, What: s.typ("drill")})
		s.order(f, "soldier", 1, &pb.Order{Kind: pb.OrderKind_ORDER_KIND_ATTACK, Target: 999})
	})
	for i := range grid.Tick(16) { // about handles that were never given out
		at(50+8*i, 0, func(s *fieldSeat, f *pb.ClientFrame) {
			s.order(f, "soldier", 1, &pb.Order{Kind: pb.OrderKind_ORDER_KIND_ATTACK, Target: 900 + uint32(i)})
		})
	}
	for i, to := range []*pb.Point{tileTo(32, 26), tileTo(40, 31), tileTo(33, 32), tileTo(31, 29), tileTo(40, 26)} { // finished at odd ticks and even
		at(20+7*grid.Tick(i), 3, func(s *fieldSeat, f *pb.ClientFrame) {
			s.order(f, "worker", 1, &pb.Order{Kind: pb.OrderKind_ORDER_KIND_BUILD, What: s.typ("wall"), To: to, Queued: true})
		})
	}
	// Sites that turn out to be taken.
	at(36, 1, func(s *fieldSeat, f *pb.ClientFrame) {
		s.order(f, "worker", 2, &pb.Order{Kind: pb.OrderKind_ORDER_KIND_BUILD, What: s.typ("wall"), To: tileTo(19, 29)})
	})
	at(80, 5, func(s *fieldSeat, f *pb.ClientFrame) { // a spectator wants to play
		f.Orders = append(f.Orders, &pb.Order{Seq: 1, Kind: pb.OrderKind_ORDER_KIND_STOP, Units: []uint32{1}})
	})
	at(90, 1, func(s *fieldSeat, f *pb.ClientFrame) { f.Resync = true })
	at(108, 3, func(s *fieldSeat, f *pb.ClientFrame) { f.Pace = &pb.Pace{} })
	at(120, 3, func(s *fieldSeat, f *pb.ClientFrame) { f.Pace = &pb.Pace{FramesPerS: 4} })
	at(160, 3, func(s *fieldSeat, f *pb.ClientFrame) { f.Pace = &pb.Pace{BytesPerS: feed.BytesPerSMin} })
	at(240, 3, func(s *fieldSeat, f *pb.ClientFrame) { f.Pace = &pb.Pace{} })
	surrender := func(t grid.Tick, slot int) {
		at(t, slot, func(s *fieldSeat, f *pb.ClientFrame) {
			f.Orders = append(f.Orders, &pb.Order{Seq: s.adversary.number(), Kind: pb.OrderKind_ORDER_KIND_SURRENDER})
		})
	}
	surrender(280, 4)
	surrender(310, 2)
	surrender(320, 3)
	return out
}

// partings are the ways in which a match lets its clients go before its end.
var partings = []struct {
	name string
	do   func(fm *fieldMatch)
}{
	{"stopped", func(fm *fieldMatch) { fm.farewell() }},
	{"aborted", func(fm *fieldMatch) {
		fm.m.abort("a moderator's words")
		fm.farewell()
	}},
	{"failed", func(fm *fieldMatch) {
		fm.m.output.cache = nil // the next tick panics
		if fm.m.tick() {
			fm.t.Fatal("the match did not fail")
		}
		fm.farewell()
	}},
	{"panicked", func(fm *fieldMatch) { fm.m.letGo() }},
	{"moved", func(fm *fieldMatch) {
		for _, s := range fm.seats {
			fm.m.refuse(s.conn, link.Moved(nodeURL))
		}
	}},
	{"broadcast failed", func(fm *fieldMatch) { // played once more, it is another
		for _, g := range fm.m.spectators.broadcasts {
			if g.late != nil && g.shown > 0 {
				simtest.Edit(g.late.cursor.World()).Credit(0, 7, 0)
			}
		}
		for range 25 {
			fm.step()
		}
	}},
	{"replaced, kicked, refused", func(fm *fieldMatch) {
		old := map[*fieldSeat]*connection{}
		for _, s := range []*fieldSeat{fm.seats[0], fm.seats[5]} {
			old[s] = s.conn
			fm.enter(s, false)
		}
		for s, conn := range old {
			fm.drainTo(s, conn)
		}
		fm.m.endSeats(fm.seats[1].name, Ending{ForGood: true, Why: link.Refusal{Code: "kicked", Text: "a moderator's words"}})
		fm.m.endSeats(fm.seats[6].name, Ending{ForGood: true, Why: link.Refusal{Code: "kicked", Text: "a moderator's words"}})
		_, err := wire.DecodeClient([]byte{0xff})
		fm.m.refuse(fm.seats[2].conn, link.FaultOf(err))
		_, err = wire.DecodeClient([]byte{0x1a, 0x05}) // an order that is cut off
		fm.m.refuse(fm.seats[3].conn, link.FaultOf(err))
		fm.m.refuse(fm.seats[4].conn, link.ErrInternal)
		fm.m.refuse(fm.seats[7].conn, &link.Refusal{Code: "bad_message", Text: "a second hello on one connection"})
	}},
	{"too slow", func(fm *fieldMatch) {
		for _, s := range fm.seats {
			s.mute, s.cuts = true, nil
		}
		for range 20 * (link.MuteSeconds + 6) {
			fm.step()
		}
		for _, s := range fm.seats { // the queue is of ticks long gone
			for s.conn != nil && len(s.conn.Out) > 1 {
				<-s.conn.Out
			}
			s.mute = false
		}
	}},
}

// farewell lets all go, as a match does that is over.
func (fm *fieldMatch) farewell() {
	fm.letPlayersGo()
	fm.m.spectators.close(fm.m.farewell())
}

func (fm *fieldMatch) letPlayersGo() {
	why := fm.m.farewell()
	for _, st := range fm.m.seats.all {
		if st.conn != nil {
			st.conn.dismiss(why)
			fm.m.connections.vacate(st)
		}
	}
}

// drainTo takes the rest of an old connection of a seat.
func (fm *fieldMatch) drainTo(s *fieldSeat, old *connection) {
	for b := range old.Out {
		s.got = append(s.got, sent{fm.now(), b})
	}
}
