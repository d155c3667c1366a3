package match

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/match/feed"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// A ruleset may call an ability anything: clients go by its kind.
func TestTheWelcomeSaysEachAbilitysKind(t *testing.T) {
	shipped, err := rules.Shipped("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	const was = `{"name": "cloak", "kind": "cloak"`
	text := string(shipped.Source)
	if !strings.Contains(text, was) {
		t.Fatalf("the shipped rules have no %s", was)
	}
	text = strings.ReplaceAll(strings.ReplaceAll(text, was, `{"name": "veil", "kind": "cloak"`), `"cloak"]`, `"veil"]`)
	rules, err := rules.Parse("renamed.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	spec := Spec{ID: matchID, Map: flatMap(48), Rules: rules, Seed: 7, Seats: []SeatSpec{{Name: "Ada", Color: 5}, {Name: "Ben", Team: 1, Start: 1, Color: 2}}}
	a := startServiceHarness(t, spec, Config{})
	kinds := map[string]string{}
	for _, ability := range spec.Welcome(a.live.world).Abilities {
		kinds[ability.Name] = ability.Kind
	}
	if len(kinds) != len(rules.Abilities) || kinds["veil"] != "cloak" || kinds["scan"] != "scan" {
		t.Errorf("kinds %v", kinds)
	}
	// A picture for admins has the colours that the players chose.
	for _, eyes := range []grid.Team{grid.NoTeam, 0} {
		picture := a.live.picture(eyes)
		colors := map[int]bool{}
		for _, th := range picture.Things {
			if int(th.Slot) < len(spec.Seats) {
				color := picture.Color(th.Slot)
				colors[int(color)] = true
				if color != spec.Seats[th.Slot].Color {
					t.Fatalf("a %s of slot %d has colour %d", th.Type, th.Slot, color)
				}
			}
		}
		if !colors[5] {
			t.Errorf("nothing has colour 5: %v", colors)
		}
	}
}

// A welcome names some other servers, not all, and different ones for different clients.
func TestTheWelcomeNamesSomeOtherServers(t *testing.T) {
	if got := otherServers(nil); got != nil {
		t.Errorf("without other servers it names %q", got)
	}
	few := []string{"https://a.example.org", "https://b.example.org"}
	if got := otherServers(func() []string { return few }); !slices.Equal(got, few) {
		t.Errorf("of two servers it names %q", got)
	}
	var many []string
	for i := range 20 {
		many = append(many, fmt.Sprintf("https://n%d.example.org", i))
	}
	known, named := slices.Clone(many), map[string]bool{}
	for range 200 {
		got := otherServers(func() []string { return known })
		if len(got) != serversMax {
			t.Fatalf("of twenty servers it names %q", got)
		}
		for _, s := range got {
			named[s] = true
		}
	}
	if len(named) != len(many) || !slices.Equal(known, many) {
		t.Errorf("to 200 clients it names %d of %d servers, and the list became %q", len(named), len(many), known)
	}
}

// Each welcome has its own client's fields, not an earlier client's.
func TestAWelcomeHasNothingOfAnother(t *testing.T) {
	spec := Spec{ID: matchID, Map: flatMap(48), Rules: testSkirmish(t), Seed: 7, Seats: []SeatSpec{{Name: "Ada", Color: 5}, {Name: "Ben", Team: 1, Start: 1, Color: 2}}}
	a := startServiceHarness(t, spec, Config{Servers: func() []string { return []string{"https://a.example.org"} }})
	player := func(slot grid.Slot) *seat {
		return &seat{
			slot: slot, team: grid.Team(slot), right: Seat{Match: matchID, Slot: slot, Account: fmt.Sprint("account ", slot)},
			conn: &connection{Receiver: &feed.Receiver{BytesPerS: 1000 * int(slot)}},
		}
	}
	watching := player(grid.NoSlot)
	watching.screen = &screen{delay: 1200}
	first := map[*seat]*pb.Welcome{}
	seats := []*seat{player(0), player(1), watching}
	for _, st := range append(seats, seats[1], seats[0], seats[2]) {
		var f pb.ServerFrame
		if err := proto.Unmarshal(a.live.output.welcomeTo(st), &f); err != nil {
			t.Fatal(err)
		}
		w := f.Welcome
		seat, ok := a.service.seatOf(w.Resume)
		if !ok || seat != st.right || w.Slot != uint32(st.slot) || w.Team != uint32(st.team) ||
			w.Spectator != (st == watching) || (w.DelayTicks == 1200) != (st == watching) || len(w.Servers) != 1 || len(w.Types) == 0 {
			t.Errorf("slot %d: %v, resume %+v", st.slot, w, seat)
		}
		if first[st] == nil {
			first[st] = w
		} else if !proto.Equal(first[st], w) {
			t.Errorf("slot %d is welcomed otherwise the second time", st.slot)
		}
	}
}

// testSkirmish returns the shipped rules.
func testSkirmish(t testing.TB) *rules.Ruleset {
	t.Helper()
	shipped, err := rules.Shipped("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	return shipped
}

// BenchmarkWelcome is the cost of a newcomer to a tick of a match, before its first
// frame.
func BenchmarkWelcome(b *testing.B) {
	spec := Spec{ID: matchID, Map: flatMap(48), Seed: 7, Seats: []SeatSpec{{Name: "Ada"}, {Name: "Ben", Team: 1, Start: 1}}}
	spec.Rules = testSkirmish(b)
	w, err := sim.New(spec.Setup())
	if err != nil {
		b.Fatal(err)
	}
	m := &output{seats: &seats{core: &core{host: &host{}}}, welcome: spec.Welcome(w), feeds: feed.NewMatch(spec.Map, spec.Rules, len(spec.Seats))}
	st := &seat{right: Seat{Match: matchID, Account: "ada"}, conn: &connection{Receiver: &feed.Receiver{}}}
	b.ReportAllocs()
	for b.Loop() {
		m.welcomeTo(st)
	}
}
