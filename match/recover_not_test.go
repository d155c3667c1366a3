package match

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// TestMatchesThatDoNotComeBack: matches that failed, matches that the store of results has
// closed or never knew, and journals that cannot be read or played. The other matches come back all the same. A journal
// that cannot be read is left as it is.
func TestMatchesThatDoNotComeBack(t *testing.T) {
	t.Parallel()
	a := newServiceHarness(t, 48, 0, 1)
	skirmish(a, 45)
	good := a.killed()
	ends := records(t, good)

	version := bytes.Clone(good)
	version[7] = 9
	middle := bytes.Clone(good)
	middle[ends[len(ends)/2]+9] ^= 0x40
	format := rewritten(t, good, func(n int, rec []byte) []byte {
		if n == 0 {
			return bytes.Replace(rec, []byte(`"format":`), []byte(`"format":9`), 1)
		}
		return rec
	})
	diverged := rewritten(t, good, func(n int, rec []byte) []byte {
		if r, err := journal.Decode(rec); err == nil && r.Tick != nil && r.Tick.Hashed && r.Tick.Tick > 20 {
			r.Tick.Hash++
			return journal.AppendTick(nil, r.Tick)
		}
		return rec
	})
	failed := rewritten(t, good, nil, journal.FailedRecord("internal error: of the past"))
	done := rewritten(t, good, nil, journal.FailedRecord("aborted"), journal.DeliveredRecord())
	id := func(n int) string { return matchID[:len(matchID)-1] + string(rune('0'+n)) }
	named := func(n int, file []byte) []byte {
		return rewritten(t, file, func(i int, rec []byte) []byte { return bytes.Replace(rec, []byte(matchID), []byte(id(n)), 1) })
	}
	files := map[string][]byte{
		matchID: good, id(2): version, id(3): middle, id(4): named(4, format), id(5): named(5, diverged),
		id(6): named(6, failed), id(7): named(7, done), id(8): named(8, good), id(9): named(9, good),
	}
	dir := folder(t, files)
	var said bytes.Buffer
	results := &clerk{results: make(chan Result, 9)}
	figures := prometheus.NewRegistry()
	s := New(Config{
		Registerer: figures, Journals: dir, Admitter: &doorman{}, Reporter: results, Clock: NewManual(time.Unix(1, 0)),
		Logger: slog.New(slog.NewTextHandler(&said, nil)),
	})
	err := s.Recover(t.Context(), func(_ context.Context, match string) (Fate, error) {
		switch match {
		case id(8):
			return GiveUp, nil
		case id(9):
			return Leave, nil
		}
		return GoOn, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if live := s.Matches(); len(live) != 1 || live[0].ID != matchID {
		t.Errorf("live: %+v", live)
	}
	counted, err := figures.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range counted {
		want := map[string]float64{"fogkeep_match_recovered_total": 1, "fogkeep_match_unrecovered_total": 4}
		if n, ok := want[f.GetName()]; ok && f.Metric[0].Counter.GetValue() != n {
			t.Errorf("%s is %v, want %v", f.GetName(), f.Metric[0].Counter.GetValue(), n)
		}
	}
	if why, ok := s.Waits(id(4)); !ok || !strings.Contains(why.Error(), "this build reads format") {
		t.Errorf("the match of another format waits: %v, %v", ok, why)
	}
	told := map[string]string{}
	for range 2 {
		r := <-results.results
		told[r.Match] = r.Failed
	}
	s.Close()
	if !strings.Contains(told[id(5)], "differently") || told[id(6)] != failedInternal || len(results.results) != 0 {
		t.Errorf("reported %v and %d more", told, len(results.results))
	}
	for _, n := range []int{2, 3, 4, 9} {
		if b, err := os.ReadFile(dir.Path(id(n))); err != nil || !bytes.Equal(b, files[id(n)]) {
			t.Errorf("journal %d was touched: %v", n, err)
		}
	}
	for n, want := range map[int]string{2: "version 9", 3: "sum does not fit", 5: "state hash"} {
		if !slices.ContainsFunc(strings.Split(said.String(), "\n"), func(line string) bool {
			return strings.Contains(line, id(n)) && strings.Contains(line, want)
		}) {
			t.Errorf("journal %d: the log does not say %q:\n%s", n, want, &said)
		}
	}
	for _, n := range []int{5, 6, 7, 8} {
		if sum, err := journal.Walk(reading(dir.Path(id(n))), nil); err != nil || sum.Failed == "" || !sum.Delivered {
			t.Errorf("journal %d: %+v, %v", n, sum, err)
		}
	}
	if left, err := dir.List(); err != nil || len(left) != 5 { // the live match's and the untouched ones
		t.Errorf("still in the folder: %v, %v", left, err)
	}
}

// TestOtherBuildWaits: a match whose journal only another build can continue is kept as it
// is. Its players are told so and may come back; a server of its build goes on with it, and
// it is over when it is given up.
func TestOtherBuildWaits(t *testing.T) {
	t.Parallel()
	a := newServiceHarness(t, 48, 0, 1)
	skirmish(a, 45)
	good := a.killed()
	for what, change := range map[string][2]string{
		"simulation": {`"sim":"`, `"sim":"9`},
		"format":     {`"format":`, `"format":9`},
		"ruleset":    {"", ""},
	} {
		other := rewritten(t, good, func(n int, rec []byte) []byte {
			switch {
			case what == "ruleset" && n == 0:
				return bytes.Replace(rec, []byte(`"build":"`), []byte(`"build":"next`), 1)
			case what == "ruleset" && n == 2:
				return append(rec[:1:1], "of another form"...)
			case n == 0:
				return bytes.Replace(rec, []byte(change[0]), []byte(change[1]), 1)
			}
			return rec
		})
		dir := folder(t, map[string][]byte{matchID: other})
		b := a.revived(dir, Config{})
		if why, ok := b.service.Waits(matchID); b.live != nil || !ok || why == nil {
			t.Fatalf("%s: the match waits: %v, %v", what, ok, why)
		}
		b.refuses(&pb.Hello{Ticket: ticketFor(0)}, "match_waits")
		if b.end(); len(b.clerk.results) != 0 {
			t.Errorf("%s: a match that waits has the result %+v", what, <-b.clerk.results)
		}
		if now, err := os.ReadFile(dir.Path(matchID)); err != nil || !bytes.Equal(now, other) {
			t.Errorf("%s: the journal was touched: %v", what, err)
		}
		c := a.revived(dir, Config{})
		if err := c.service.Abort(t.Context(), matchID, "other-version"); err != nil {
			t.Errorf("%s: given up: %v", what, err)
		} else if r := <-c.clerk.results; r.Match != matchID || r.Failed != "other-version" {
			t.Errorf("%s: given up: %+v", what, r)
		}
		c.end()
		if left, err := dir.List(); err != nil || len(left) != 0 {
			t.Errorf("%s: still in the folder: %v, %v", what, left, err)
		}
	}
	if d := a.revived(folder(t, map[string][]byte{matchID: good}), Config{}); d.live == nil {
		t.Error("a server of its build does not go on with it")
	}
}

// rewritten returns a journal file with its records changed, and some added.
func rewritten(t *testing.T, file []byte, change func(n int, rec []byte) []byte, more ...[]byte) []byte {
	t.Helper()
	dir := folder(t, map[string][]byte{"old": file})
	log, err := dir.Create("new")
	if err != nil {
		t.Fatal(err)
	}
	add := func(rec []byte) error { return log.Append(log.Next(), rec) }
	_, err = journal.ReadFile(dir.Path("old"), func(n uint64, rec []byte) error {
		if change != nil {
			rec = change(int(n), rec)
		}
		return add(rec)
	})
	for _, rec := range more {
		err = errors.Join(err, add(rec))
	}
	if err = errors.Join(err, log.Close()); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(dir.Path("new"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestPanickedMatchStaysClosed: a match that broke off by itself is reported as
// failed, also by the next process if this one could not, and is not played
// again.
func TestPanickedMatchStaysClosed(t *testing.T) {
	rules, err := rules.Shipped("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	a := startServiceHarness(t, Spec{
		ID: matchID, Map: flatMap(48), Rules: rules, Seed: 7, Seats: []SeatSpec{{Team: 0}, {Team: 1, Start: 1}},
		Drive: &sim.Driver{Unit: func(grid.EntityID, sim.Driven) sim.Driven { panic("planted") }},
	}, Config{Linger: time.Nanosecond})
	a.clerk.refuse = 1 << 20 // the store is down for as long as this process lives
	c := a.connect(&pb.Hello{Ticket: ticketFor(0)}, 0)
	a.asked()
	if code := a.closed(c); code != "failed" || strings.Contains(c.closing.Text, "planted") {
		t.Errorf("the player is told %v: a panic's text is for the log alone", c.closing)
	}
	a.end()
	b := a.revived(a.dir, Config{})
	if b.live != nil {
		t.Error("the match is played again")
	}
	if r := <-b.clerk.results; r.Failed != failedInternal || r.Ended != nil {
		t.Errorf("reported %+v", r)
	}
	b.end()
	if sum, err := journal.Walk(reading(a.dir.Path(matchID)), nil); err != nil || !sum.Delivered {
		t.Errorf("journal: %+v, %v", sum, err)
	}
	if c := a.revived(a.dir, Config{}); c.live != nil || len(c.clerk.results) != 0 {
		t.Error("reported again")
	}
}

// TestResultIsDeliveredAfterAKill: the result of a match that ended while no reporter
// took results is delivered by the next process, once.
func TestResultIsDeliveredAfterAKill(t *testing.T) {
	t.Parallel()
	a := newServiceHarness(t, 48, 0, 1)
	a.clerk.refuse = 1 << 20
	cs := skirmish(a, 5)
	cs[1].order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_SURRENDER})
	for a.live.world.Result() == nil {
		a.tick()
		for _, c := range cs {
			c.read()
		}
	}
	file := a.killed() // in the seconds in which the players look at the end
	ends := records(t, file)
	for _, left := range [][]byte{
		file,
		file[:ends[len(ends)-2]], // the result itself was lost, all before it was not
		file[:ends[len(ends)-3]], // and the last tick's hash too
	} {
		dir := folder(t, map[string][]byte{matchID: left})
		b := a.revived(dir, Config{})
		if b.live != nil {
			t.Fatal("the match is played again")
		}
		if r := <-b.clerk.results; r.Ended == nil || r.Ended.Winner != 0 || r.Ticks != a.live.world.Result().Tick {
			t.Errorf("result %+v", r)
		}
		b.end()
		if sum := replays(t, dir, matchID); !sum.Delivered || sum.Ended == nil {
			t.Errorf("journal %+v", sum)
		}
	}
}
