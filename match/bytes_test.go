package match

import (
	"context"
	"errors"
	"testing"

	"github.com/fogkeep/fogkeep/match/feed"
	"github.com/fogkeep/fogkeep/match/grid"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// Budgets are changed while the match runs: a host may lower the configured limit, an
// operator may set any, also for one player. Each client gets its budget, and it holds
// after a kill, for returning players and in their order.
func TestBudgetsAreChangedWhileTheMatchRuns(t *testing.T) {
	t.Parallel()
	const configured = 50_000
	spec := Spec{ID: matchID, Map: flatMap(64), Rules: shipped(t), Seed: 7, EveryTick: true, Seats: []SeatSpec{{Name: "A", Team: 0}, {Name: "B", Team: 1, Start: 1}}}
	a := startServiceHarness(t, spec, Config{BytesPerS: configured})
	cs := []*pipeClient{a.join(0)}
	cs = append(cs, a.join(1))
	cs[0].read()
	holds := func(when string, a *serviceHarness, want ...uint32) {
		t.Helper()
		for i, c := range cs {
			if c.BytesPerS != want[i] || a.live.output.feeds.Allowed(a.live.seats.all[i].conn.Receiver) != int(want[i]) {
				t.Errorf("%s: player %d was told of %d bytes a second, and is sent %d, want %d", when, i, c.BytesPerS, a.live.output.feeds.Allowed(a.live.seats.all[i].conn.Receiver), want[i])
			}
		}
	}
	set := func(b Budget) error {
		ended := make(chan error, 1)
		go func() { ended <- a.service.SetBudget(context.Background(), matchID, b) }()
		a.asked()
		a.tick()
		for _, c := range cs {
			c.read()
		}
		return <-ended
	}
	holds("at first", a, configured, configured)
	for _, c := range []struct {
		when string
		b    Budget
		want [2]uint32
	}{
		{"the host wants less", Budget{BytesPerS: 9000}, [2]uint32{9000, 9000}},
		{"the host wants more than there is", Budget{BytesPerS: 2 * configured}, [2]uint32{configured, configured}},
		{"the host wants less again", Budget{BytesPerS: 8000}, [2]uint32{8000, 8000}},
		{"an operator gives more", Budget{BytesPerS: 90_000, Operator: true}, [2]uint32{90_000, 90_000}},
		{"an operator gives one less", Budget{BytesPerS: 700, Operator: true, OneSlot: true, Slot: 1}, [2]uint32{90_000, 700}},
		{"an operator takes it back", Budget{Operator: true}, [2]uint32{8000, 700}},
	} {
		if err := set(c.b); err != nil {
			t.Fatalf("%s: %v", c.when, err)
		}
		holds(c.when, a, c.want[:]...)
	}
	for _, b := range []Budget{{BytesPerS: -1}, {BytesPerS: feed.BytesPerSMin - 1}, {BytesPerS: BytesPerSMax + 1}, {BytesPerS: 600, OneSlot: true}} {
		if a.service.SetBudget(context.Background(), matchID, b) == nil {
			t.Errorf("%+v is taken", b)
		}
	}
	if err := a.service.SetBudget(context.Background(), matchID, Budget{Operator: true, OneSlot: true, Slot: 2}); !errors.Is(err, ErrNoSeat) {
		t.Errorf("a budget of slot 2 of 2: %v", err)
	}
	if err := a.service.SetBudget(context.Background(), "another", Budget{}); !errors.Is(err, ErrNoMatch) {
		t.Errorf("a budget of no match: %v", err)
	}
	cs[0].send(&pb.ClientFrame{Pace: &pb.Pace{BytesPerS: 600}}) // asks for less: told of no other budget
	for range 41 {
		a.tick()
		for _, c := range cs {
			c.read()
		}
	}
	holds("a client asks for less", a, 8000, 700)
	b := a.revived(folder(t, map[string][]byte{spec.ID: a.killed()}), Config{BytesPerS: configured})
	if b.live == nil {
		t.Fatal("the match does not come back")
	}
	cs = b.back(cs...)
	holds("after a kill", b, 8000, 700)
	if b.live.seats.all[grid.Slot(1)].bytesPerS != 700 {
		t.Error("the budget of slot 1 is not its own")
	}
}
