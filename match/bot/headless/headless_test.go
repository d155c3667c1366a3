package headless

import (
	"os"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/match/bot"
	"github.com/fogkeep/fogkeep/match/client"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/grid/mapfile"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/rules"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

func skirmish(t *testing.T) *rules.Ruleset {
	t.Helper()
	r, err := rules.Shipped("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func maps(t *testing.T) []mapfile.Entry {
	t.Helper()
	library, err := mapfile.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	return library.List()
}

func mapNamed(t *testing.T, id string) *grid.Map {
	t.Helper()
	for _, e := range maps(t) {
		if e.ID == id {
			return e.Map
		}
	}
	t.Fatalf("no map %s", id)
	return nil
}

// far returns the two starts of a map that are furthest apart.
func far(m *grid.Map) (a, b int) {
	best := int32(-1)
	for i, s := range m.Starts {
		for j, t := range m.Starts[:i] {
			if d := s.Dist2(t); d > best {
				a, b, best = j, i, d
			}
		}
	}
	return a, b
}

// duel plays first against second, from the starts that are furthest apart.
func duel(t *testing.T, m *grid.Map, seed uint64, rate int, first, second func(*client.State) (bot.Player, error)) Result {
	t.Helper()
	a, b := far(m)
	r, err := told(t, Match{
		Map: m, Rules: skirmish(t), Seed: seed, TickRate: rate, FrameTicks: max(1, rate/4),
		Seats: []Seat{{New: first, Team: 0, Start: a}, {New: second, Team: 1, Start: b}},
	}).Play()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// told has the match fail the test if a bot names a handle that no frame brought
// it, as an independent reading of the bytes says.
func told(t *testing.T, m Match) Match {
	types := uint32(len(m.Rules.Types))
	sent := make([]map[uint32]bool, len(m.Seats))
	for i := range sent {
		sent[i] = map[uint32]bool{0: true}
	}
	count := (uint32(len(m.Seats)) + 1) * types
	m.Framed = func(slot grid.Slot, b []byte) {
		var f pb.ServerFrame
		if err := proto.Unmarshal(b, &f); err != nil {
			t.Fatal(err)
		}
		h := uint32(0)
		for i := 0; i+2 < len(f.Enter); i += 3 {
			h += f.Enter[i] / count
			sent[slot][h] = true
		}
		if f.Ghosts != nil {
			h = 0
			for _, gap := range f.Ghosts.Handle {
				h += gap
				sent[slot][h] = true
			}
		}
	}
	m.Ordered = func(slot grid.Slot, c *client.State, orders []*pb.Order) {
		for _, o := range orders {
			for _, h := range append([]uint32{o.Target}, o.Units...) {
				if !sent[slot][h] {
					t.Fatalf("tick %d, slot %d: %v names handle %d, which was never sent", c.Tick(), slot, o, h)
				}
			}
		}
	}
	return m
}

// A bot wins over the bridges of a river, one of which rises by a schedule.
func TestBotsWinOverBridges(t *testing.T) {
	t.Parallel()
	rs, err := rules.Shipped("arsenal")
	if err != nil {
		t.Fatal(err)
	}
	r, err := told(t, Match{
		Map: mapNamed(t, "water-gates"), Rules: rs, Seed: 3, TickRate: 10, FrameTicks: 2,
		Seats: []Seat{{Team: 0, Start: 0}, {New: bot.Hard.New, Team: 1, Start: 1}},
	}).Play()
	if err != nil || r.Winner != 1 {
		t.Errorf("team %d won after %d ticks, %s, %v", r.Winner, r.Ticks, r.Reason, err)
	}
}

// On each shipped map a weak, a middling and the best level find an idle player at the far end, and beat it, by orders
// that name only told things.
func TestEveryLevelBeatsWhoDoesNothing(t *testing.T) {
	for _, e := range maps(t) {
		for _, level := range []bot.Level{bot.Beginner, bot.Medium, bot.Master} {
			t.Run(e.ID+" "+level.String(), func(t *testing.T) {
				t.Parallel()
				if r := duel(t, e.Map, 7, 10, nil, level.New); r.Winner != 1 {
					t.Errorf("it ended with %s at tick %d, winner %d", r.Reason, r.Ticks, r.Winner)
				}
			})
		}
	}
}

// The same frames make the same orders, and the journal of the match replays to its end.
func TestBotsAreDeterministic(t *testing.T) {
	m := mapNamed(t, "twin-fords")
	var hashes [2]uint64
	var records [][]byte
	for i := range hashes {
		r, err := Match{
			Map: m, Rules: skirmish(t), Seed: 3, TickRate: 10, LimitSeconds: 300,
			Seats: []Seat{{New: bot.Hard.New, Team: 0}, {New: bot.Medium.New, Team: 1, Start: 1}},
			Recorded: func(record []byte) error {
				if i == 0 {
					records = append(records, record)
				}
				return nil
			},
		}.Play()
		if err != nil {
			t.Fatal(err)
		}
		hashes[i] = r.Hash
	}
	if hashes[0] != hashes[1] {
		t.Error("two runs of one match differ")
	}
	w, sum, err := journal.Replay(func(each func(uint64, []byte) error) error {
		for n, r := range records {
			if err := each(uint64(n), r); err != nil {
				return err
			}
		}
		return nil
	}, nil)
	if err != nil || w.Hash() != hashes[0] || sum.Orders == 0 {
		t.Errorf("the journal with %d orders leads to another state: %v", sum.Orders, err)
	}
}

// An easy bot does not attack in the first six minutes, and then it does.
func TestEasyKeepsThePeace(t *testing.T) {
	m := mapNamed(t, "twin-fords")
	hurt := func(seconds int) (damage int64) {
		r, err := Match{
			Map: m, Rules: skirmish(t), Seed: 3, TickRate: 10, LimitSeconds: seconds,
			Seats: []Seat{{New: bot.Easy.New, Team: 0}, {Team: 1, Start: 1}},
		}.Play()
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range r.Seats[0].Use {
			damage += u.Damage
		}
		return damage
	}
	if d := hurt(360); d != 0 {
		t.Errorf("it did %d damage in the first six minutes", d)
	}
	if d := hurt(600); d == 0 {
		t.Error("it did no damage in ten minutes")
	}
}

// Master finds a use for every unit, beats easy, and comes to that by orders that name only told things.
func TestMasterBeatsEasyWithEveryUnit(t *testing.T) {
	m, rs := mapNamed(t, "four-winds"), skirmish(t)
	made, acts := make([]int, len(rs.Types)), make([]int, len(rs.Types))
	for seed := range uint64(2) {
		r := duel(t, m, seed, 10, bot.Easy.New, bot.Master.New)
		if r.Winner != 1 {
			t.Errorf("seed %d: it ended with %s at tick %d, winner %d", seed, r.Reason, r.Ticks, r.Winner)
		}
		for n, u := range r.Seats[1].Use {
			made[n] += u.Made
			acts[n] += u.Acts
		}
	}
	for n, typ := range rs.Types {
		if typ.Class == rules.ClassUnit && made[n] == 0 {
			t.Errorf("it made no %s", typ.Name)
		}
		if typ.Class == rules.ClassUnit && len(typ.Abilities) > 0 && acts[n] == 0 {
			t.Errorf("no %s used an ability", typ.Name)
		}
	}
}

// A level beats one two levels below. FOGKEEP_TEST_LONG=1 plays ten seeds on every map, of each level and the one below,
// which is to lose more than half; without it there is one match of each pair on the smallest map.
func TestLevelsAreApart(t *testing.T) {
	type pair struct {
		worse, better bot.Level
		least         int // of ten
	}
	seeds, played := 1, []mapfile.Entry{{ID: "twin-fords", Map: mapNamed(t, "twin-fords")}}
	pairs := []pair{{bot.Beginner, bot.Medium, 10}, {bot.Medium, bot.Expert, 10}, {bot.Hard, bot.Master, 10}}
	if os.Getenv("FOGKEEP_TEST_LONG") != "" {
		seeds, played, pairs = 10, maps(t), nil
		for _, l := range bot.Levels()[1:] {
			pairs = append(pairs, pair{l - 1, l, 6})
		}
	}
	for _, e := range played {
		for _, pair := range pairs {
			t.Run(e.ID+" "+pair.better.String()+" "+pair.worse.String(), func(t *testing.T) {
				t.Parallel()
				won := 0
				for seed := range uint64(seeds) {
					if r := duel(t, e.Map, seed+1, 10, pair.worse.New, pair.better.New); r.Winner == 1 {
						won++
					}
				}
				if won*10 < pair.least*seeds {
					t.Errorf("%s won %d of %d", pair.better, won, seeds)
				}
			})
		}
	}
}

// The first attack of easy is a small one: its army is no larger than its first wave
// while it is not attacked.
func TestEasyArmsLittle(t *testing.T) {
	m := Match{
		Map: mapNamed(t, "twin-fords"), Rules: skirmish(t), Seed: 5, TickRate: 10, LimitSeconds: 360,
		Seats: []Seat{{New: bot.Easy.New}, {Team: 1, Start: 1}},
	}
	most := 0
	m.Ordered = func(_ grid.Slot, c *client.State, _ []*pb.Order) {
		army := 0
		for _, e := range c.Replica.Entities {
			info := c.Welcome.Types[e.Type]
			if e.Owner == c.Slot() && info.Class == pb.TypeClass_TYPE_CLASS_UNIT && len(info.Weapons) > 0 && !info.Worker && info.Name != "scout" {
				army++
			}
		}
		most = max(most, army)
	}
	if _, err := m.Play(); err != nil {
		t.Fatal(err)
	}
	if most != 11 {
		t.Errorf("%d fighters in the first six minutes, want 11", most)
	}
}

// A scout that dies is not sent again and again into what killed it. Low levels train one in four minutes at most.
func TestScoutsAreNotEndless(t *testing.T) {
	scout := -1
	for i := range skirmish(t).Types {
		if skirmish(t).Types[i].Name == "scout" {
			scout = i
		}
	}
	a, b := far(mapNamed(t, "twin-fords"))
	for level, most := range map[bot.Level]int{bot.Beginner: 2, bot.Medium: 2, bot.Master: 3} {
		r, err := Match{
			Map: mapNamed(t, "twin-fords"), Rules: skirmish(t), Seed: 5, TickRate: 10, LimitSeconds: 360,
			Seats: []Seat{{Team: 0, Start: a}, {New: level.New, Team: 1, Start: b}},
		}.Play()
		if err != nil {
			t.Fatal(err)
		}
		if n := r.Seats[1].Use[scout].Made; n > most {
			t.Errorf("%s trained %d scouts in six minutes", level, n)
		}
	}
}
