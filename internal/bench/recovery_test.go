package bench

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/fogkeep/fogkeep/internal/clustertest"
	"github.com/fogkeep/fogkeep/internal/natsnode"
	"github.com/fogkeep/fogkeep/match"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/journal/jetstream"
)

// shippedBattle is a battle on a shipped map.
func shippedBattle(t testing.TB, id string, players, units, seconds int) Battle {
	t.Helper()
	b := Battle{Players: players, Units: units, Seconds: seconds, Seed: 1}
	if err := b.Map.UnmarshalText([]byte(id)); err != nil {
		t.Fatal(err)
	}
	return b
}

// BenchmarkRecovery brings a battle back from its journal at the worst moment, just
// before the next state would be saved: from the state saved last, from the start of the
// journal, and twenty copies at once from a journal server, as a node does when others have
// died. -short fights for a minute.
func BenchmarkRecovery(b *testing.B) {
	seconds := 599
	if testing.Short() {
		seconds = 59
	}
	folder := b.TempDir()
	f, err := fightToJournal(b.Context(), shippedBattle(b, "eight-crowns", 8, 200, seconds), match.StateSeconds, folder)
	if err != nil {
		b.Fatal(err)
	}
	state := savedState(folder)
	info, err := os.Stat(state)
	if err != nil {
		b.Fatal(err)
	}
	each := func(name string, f func(b *testing.B)) {
		b.Run(name, func(b *testing.B) {
			f(b)
			b.ReportMetric(0, "ns/op")
		})
	}
	const atOnce = 20
	each("take-over", func(b *testing.B) {
		for b.Loop() {
			done, core := takeOver(b, f.dir, atOnce)
			b.ReportMetric(done[0].Seconds(), "first-s")
			b.ReportMetric(done[atOnce-1].Seconds(), "all-s")
			b.ReportMetric(core.Seconds()/atOnce, "core-s/match")
		}
	})
	each("from-state", func(b *testing.B) {
		for b.Loop() {
			b.ReportMetric(recovered(b, f.dir).Seconds(), "s")
		}
		b.ReportMetric(float64(f.stateBytes), "state-bytes")
		b.ReportMetric(float64(info.Size()), "packed-bytes")
		b.ReportMetric(float64(f.copies[len(f.copies)/2]), "copy-p50-us")
		b.ReportMetric(float64(f.copies[len(f.copies)-1]), "copy-max-us")
		b.ReportMetric(float64(f.writes[len(f.writes)/2]), "write-p50-ms")
	})
	each("from-start", func(b *testing.B) {
		if err := os.Remove(state); err != nil && !errors.Is(err, os.ErrNotExist) {
			b.Fatal(err)
		}
		for b.Loop() {
			took := recovered(b, f.dir).Seconds()
			b.ReportMetric(took, "s")
			b.ReportMetric(float64(seconds)/took, "x-real-time")
		}
		b.ReportMetric(float64(seconds), "match-s")
		b.ReportMetric(float64(f.orders), "orders")
		b.ReportMetric(float64(f.journalBytes), "journal-bytes")
	})
}

// Battles are written to a journal server, and then all battles are taken over from it. One comes back
// in a server that starts.
func TestBattlesComeBack(t *testing.T) {
	f, err := fightToJournal(t.Context(), shippedBattle(t, "eight-crowns", 2, 10, 15), 10, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if f.ticks != 300 || f.orders == 0 || f.journalBytes == 0 || f.stateBytes == 0 {
		t.Errorf("%+v", f)
	}
	recovered(t, f.dir)
	if done, _ := takeOver(t, f.dir, 3); len(done) != 3 || done[0] <= 0 {
		t.Errorf("the matches went on after %v", done)
	}
}

// recovered is [recoverOnce], which must succeed.
func recovered(t testing.TB, dir *journal.Dir) time.Duration {
	t.Helper()
	took, err := recoverOnce(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return took
}

// takeOver writes so many copies of the battle to a journal server, and takes them all over
// at once, as many side by side as a node does. It returns when each match went on,
// sorted, and the processor time of all with the journal server's part.
func takeOver(t testing.TB, dir *journal.Dir, matches int) (done []time.Duration, core time.Duration) {
	t.Helper()
	ctx, quiet := t.Context(), slog.New(slog.DiscardHandler)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	var ports clustertest.Ports
	defer ports.Close()
	addr, err := ports.Pair()
	must(err)
	server, err := natsnode.ParseServer("node=" + addr)
	must(err)
	folder := filepath.Join(t.TempDir(), "cluster")
	must(natsnode.Init(folder, natsnode.Plan{Servers: []natsnode.Server{server}, Nodes: []string{"node"}}))
	f, err := natsnode.Read(filepath.Join(folder, "node"))
	must(err)
	node, err := natsnode.Start(ctx, natsnode.Config{Folder: f, StoreDir: filepath.Join(folder, "store"), Logger: quiet})
	must(err)
	defer node.Close()
	config := jetstream.Config{Conn: node.Conn(), Owner: "before", Replicas: node.Replicas(), Shards: 1, StoreBytes: natsnode.StoreBytesDefault, Logger: quiet}
	before, err := jetstream.New(ctx, config)
	must(err)
	defer before.Close()
	ids, err := copies(ctx, dir, before, matches)
	must(err)
	config.Owner = "survivor" // another process's store: it has none of the logs open
	after, err := jetstream.New(ctx, config)
	must(err)
	defer after.Close()
	s := match.New(match.Config{Journals: after, Admitter: porter{}, Reporter: porter{}, Build: "bench"})
	defer s.Close()
	cpu, _ := cpuTime() // zero where it is not measured
	var mu sync.Mutex
	began := time.Now()
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(2 * runtime.GOMAXPROCS(0))
	for _, id := range ids {
		g.Go(func() error {
			if err := s.TakeOver(ctx, id, nil); err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			done = append(done, time.Since(began))
			return nil
		})
	}
	must(g.Wait())
	used, _ := cpuTime()
	if len(s.Matches()) != matches {
		t.Fatal("not all battles came back")
	}
	slices.Sort(done)
	return done, used - cpu
}

// copies writes the battle to a store so many times, each as a match of its own.
func copies(ctx context.Context, dir *journal.Dir, to *jetstream.Store, n int) (ids []string, err error) {
	var records [][]byte
	read := func(each func(uint64, []byte) error) error {
		_, err := journal.ReadFile(dir.Path(foughtMatch), func(n uint64, rec []byte) error {
			records = append(records, slices.Clone(rec))
			return each(n, rec)
		})
		return err
	}
	sum, err := journal.Walk(read, nil)
	if err != nil {
		return nil, err
	}
	state, err := dir.State(foughtMatch)
	if err != nil || state == nil {
		return nil, errors.Join(err, errors.New("the battle has no saved state"))
	}
	for i := range n {
		id := fmt.Sprintf("0190f000-0000-7000-8000-%012x", i+1)
		head, err := journal.SetupRecords(journal.Header{Match: id, Build: sum.Header.Build, Extra: sum.Header.Extra}, sum.Setup)
		if err != nil {
			return nil, err
		}
		log, err := to.Create(id)
		if err != nil {
			return nil, err
		}
		for _, rec := range append(head, records[len(head):]...) {
			if err := log.Append(log.Next(), rec); err != nil {
				return nil, err
			}
		}
		if err := errors.Join(log.Wait(ctx, log.Next()-1), to.SaveState(id, *state), log.Close()); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}
