package match

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/match/grid"
)

// A match and its bots are taken from budgets before any part of it exists, all or
// nothing, and given back when it is over; after a restart a returning match counts
// again, even beyond its budgets.
func TestMatchesAreTakenFromBudgets(t *testing.T) {
	t.Parallel()
	limits, err := quota.Defaults().Set([]string{
		"match-ticks.account=40", "match-ticks.process=60", "match-ticks.reserve=0", "bot-seats.account=3", "bot-seats.reserve=0",
	})
	if err != nil {
		t.Fatal(err)
	}
	ledger := quota.New(limits)
	spec := func(n int, host string, bots int) Spec {
		s := Spec{ID: matchID[:len(matchID)-2] + fmt.Sprintf("%02d", n), Map: flatMap(48), Rules: shipped(t), Seed: 7, Payer: quota.Payer{Account: host}}
		for i := range bots + 1 {
			s.Seats = append(s.Seats, SeatSpec{Name: fmt.Sprint(i), Team: grid.Team(i), Start: i, Bot: i > 0})
		}
		return s
	}
	a := startServiceHarness(t, spec(1, "a", 2), Config{Ledger: ledger})
	try := func(s Spec, want string) {
		t.Helper()
		for _, err := range []error{a.service.Room(s), a.service.Start(s)} {
			got := ""
			if r := (*quota.Refusal)(nil); errors.As(err, &r) {
				got = string(r.Limit.Resource) + "." + r.Scope.String()
			} else if err != nil {
				t.Fatal(err)
			}
			if got != want {
				t.Errorf("%s of %s: refused by %q, want %q", s.ID, s.Payer.Account, got, want)
			}
		}
		if want != "" {
			if ids, err := a.dir.List(); err != nil || len(ids) != int(ledger.Held(quota.MatchTicks)/20) {
				t.Errorf("a refused match has a journal: %v, %v", ids, err)
			}
		}
	}
	held := func(matches, bots int64) {
		t.Helper()
		if m, b := ledger.Held(quota.MatchTicks)/20, ledger.Held(quota.BotSeats); m != matches || b != bots {
			t.Errorf("%d matches and %d bots are held, want %d and %d", m, b, matches, bots)
		}
	}
	held(1, 2)
	fast := spec(2, "a", 0)
	fast.TickRate, fast.SpeedPercent = 30, 200
	try(fast, "match-ticks.account")          // its sixty ticks per second and the other's twenty are eighty
	try(spec(2, "a", 2), "bot-seats.account") // its two bots and these are four
	held(1, 2)
	file := a.killed()
	a.ask(func() error { return a.service.Abort(t.Context(), spec(1, "", 0).ID, "enough") })
	a.end()
	held(0, 0)

	over, err := quota.Defaults().Set([]string{"match-ticks.account=20", "match-ticks.process=20"})
	if err != nil {
		t.Fatal(err)
	}
	ledger = quota.New(over)
	full := ledger.Adopt(quota.MatchTicks, quota.Payer{Account: "a"}, 20)
	b := a.revived(folder(t, map[string][]byte{a.spec.ID: file}), Config{Ledger: ledger, Linger: time.Nanosecond})
	if b.live == nil {
		t.Fatal("it did not come back")
	}
	full.Release()
	held(1, 2)
	a = b
	try(spec(3, "a", 0), "match-ticks.account")
	try(spec(4, "b", 0), "match-ticks.process")
	b.end()
	held(0, 0)
}
