package link

import (
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
)

// TestTripsOfLate: the least counts, and is forgotten in time.
func TestTripsOfLate(t *testing.T) {
	const perS = 20
	var x trips
	if _, ok := x.low(); ok {
		t.Error("a trip before the first")
	}
	for now := grid.Tick(1); now < 3000; now++ {
		trip := 9
		switch {
		case now == 50:
			trip = 2
		case now > 2000:
			trip = 4
		}
		x.add(trip, now, perS)
		got, _ := x.low()
		want := 9
		switch {
		case now >= 50 && now < 50+lagSeconds*perS:
			want = 2
		case now >= 50 && now < 50+2*lagSeconds*perS:
			continue // it may be forgotten
		case now > 2000:
			want = 4
		}
		if got != want {
			t.Fatalf("tick %d: %d, want %d", now, got, want)
		}
	}
}

// TestPingsAreTimed: only the answer to an open ping counts, and of several the
// least.
func TestPingsAreTimed(t *testing.T) {
	at := func(ms int) time.Time { return time.Unix(100, 0).Add(time.Duration(ms) * time.Millisecond) }
	var p pings
	expect := func(what string, want time.Duration, has bool) {
		t.Helper()
		if got, ok := p.low(); got != want || ok != has {
			t.Errorf("%s: %v %v, want %v %v", what, got, ok, want, has)
		}
	}
	p.answered("unasked.", at(0))
	expect("an answer to nothing", 0, false)
	first := p.next(at(0))
	p.answered("another.", at(5))
	expect("an answer to another", 0, false)
	again := p.next(at(2000))
	p.answered(string(first), at(2500))
	expect("one that took longer than to the next", 2500*time.Millisecond, true)
	p.answered(string(again), at(2501))
	expect("the second answer", 2500*time.Millisecond, true)
	for i, ms := range []int{80, 30, 90, 90, 90, 90, 90} {
		p.answered(string(p.next(at(10_000*(i+1)))), at(10_000*(i+1)+ms))
	}
	expect("the last five", 90*time.Millisecond, true)
	p.answered(string(p.next(at(100_000))), at(100_040))
	expect("one that is faster", 40*time.Millisecond, true)
	p.answered(string(p.next(at(110_000))), at(110_070))
	expect("one that is slower again", 40*time.Millisecond, true)
}
