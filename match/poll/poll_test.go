package poll

import (
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
)

func slots(of ...grid.Slot) (out grid.SlotSet) {
	for _, s := range of {
		out = out.With(s)
	}
	return out
}

func TestQuorum(t *testing.T) {
	for n, want := range map[int][4]int{1: {1, 1, 1, 2}, 2: {2, 2, 2, 2}, 3: {3, 2, 2, 2}, 4: {4, 3, 3, 3}, 5: {5, 4, 3, 3}, 6: {6, 4, 4, 4}, 64: {64, 43, 33, 33}} {
		if got := [4]int{Quorum{100, 1}.Of(n), Quorum{66, 1}.Of(n), Quorum{50, 1}.Of(n), Quorum{50, 2}.Of(n)}; got != want {
			t.Errorf("of %d voters: %v, want %v", n, got, want)
		}
	}
}

func TestResult(t *testing.T) {
	for _, row := range []struct {
		name    string
		yes, no []grid.Slot // besides slot 0, which asks
		may     grid.SlotSet
		now     int64
		want    Result
	}{
		{name: "not enough yet", yes: []grid.Slot{1}, may: slots(0, 1, 2, 3), want: Open},
		{name: "enough", yes: []grid.Slot{1, 2}, may: slots(0, 1, 2, 3), want: Passed},
		{name: "one against", no: []grid.Slot{1}, may: slots(0, 1, 2, 3), want: Open},
		{name: "it cannot pass any more", no: []grid.Slot{1, 2}, may: slots(0, 1, 2, 3), want: Failed},
		{name: "its time is over", yes: []grid.Slot{1}, may: slots(0, 1, 2, 3), now: 10, want: Failed},
		{name: "it is taken back", yes: []grid.Slot{1, 2, 3}, no: []grid.Slot{0}, may: slots(0, 1, 2, 3), want: Failed},
		{name: "changed votes", yes: []grid.Slot{1, 2}, no: []grid.Slot{2}, may: slots(0, 1, 2, 3), want: Open},
		{name: "votes of others", yes: []grid.Slot{4, 5, 63}, may: slots(0, 1, 2, 3), want: Open},
		{name: "one vote for each", yes: []grid.Slot{1, 1, 1}, may: slots(0, 1, 2, 3), want: Open},
		{name: "without its player", yes: []grid.Slot{1, 2}, may: slots(1, 2, 3), want: Failed},
	} {
		p := New(0, row.may.With(0), Quorum{66, 1}, 10)
		for _, s := range row.yes {
			p.Vote(s, true)
		}
		for _, s := range row.no {
			p.Vote(s, false)
		}
		p.May = row.may
		if got := p.Result(row.now); got != row.want {
			t.Errorf("%s: %d, want %d", row.name, got, row.want)
		}
	}
}

func TestVoteReportsChanges(t *testing.T) {
	p := New(0, slots(0, 1), Quorum{100, 1}, 10)
	for i, row := range []struct {
		slot grid.Slot
		yes  bool
		want bool
	}{{1, false, true}, {1, false, false}, {1, true, true}, {1, true, false}, {0, true, false}, {2, true, false}, {grid.NoSlot, true, false}} {
		if got := p.Vote(row.slot, row.yes); got != row.want {
			t.Errorf("vote %d: %v", i, got)
		}
	}
}
