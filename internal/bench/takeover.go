package bench

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/fogkeep/fogkeep/internal/clustertest"
	"github.com/fogkeep/fogkeep/internal/natsnode"
	"github.com/fogkeep/fogkeep/match"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/journal/jetstream"
)

// TakeoverReport is what it costs one node to take over many matches at once: battles
// whose journals and states lie in a log server.
type TakeoverReport struct {
	Matches int     `json:"matches"`
	Cores   int     `json:"cores"`
	FirstS  float64 `json:"first_s"` // until the first match goes on
	P50S    float64 `json:"p50_s"`
	AllS    float64 `json:"all_s"`                     // until the last does
	CoreS   float64 `json:"takeover_core_s_per_match"` // with what the matches cost that go on meanwhile, and with the log server's part
}

// takeOver writes so many copies of the battle in dir to a log server, and takes them all
// over at once, as many side by side as a node does.
func takeOver(ctx context.Context, c RecoveryConfig, dir *journal.Dir, matches int) (r TakeoverReport, err error) {
	r = TakeoverReport{Matches: matches, Cores: runtime.GOMAXPROCS(0)}
	var ports clustertest.Ports
	defer ports.Close()
	addr, err := ports.Pair()
	if err != nil {
		return r, err
	}
	server, err := natsnode.ParseServer("node=" + addr)
	if err != nil {
		return r, err
	}
	folder := filepath.Join(c.Dir, "cluster")
	if err := natsnode.Init(folder, natsnode.Plan{Servers: []natsnode.Server{server}, Nodes: []string{"node"}}); err != nil {
		return r, err
	}
	f, err := natsnode.Read(filepath.Join(folder, "node"))
	if err != nil {
		return r, err
	}
	quiet := slog.New(slog.DiscardHandler)
	node, err := natsnode.Start(ctx, natsnode.Config{Folder: f, StoreDir: filepath.Join(folder, "store"), Logger: quiet})
	if err != nil {
		return r, err
	}
	defer node.Close()
	config := jetstream.Config{Conn: node.Conn(), Owner: "before", Replicas: node.Replicas(), Shards: 1, StoreBytes: natsnode.StoreBytesDefault, Logger: quiet}
	before, err := jetstream.New(ctx, config)
	if err != nil {
		return r, err
	}
	defer before.Close()
	ids, err := copies(ctx, dir, before, matches)
	if err != nil {
		return r, err
	}
	config.Owner = "survivor" // another process's store: it has none of the logs open
	after, err := jetstream.New(ctx, config)
	if err != nil {
		return r, err
	}
	defer after.Close()
	s := match.New(match.Config{Journals: after, Admitter: porter{}, Reporter: porter{}, Build: "bench"})
	defer s.Close()
	cpu, err := cpuTime()
	if err != nil && processMeasured {
		return r, err
	}
	var mu sync.Mutex
	var done []time.Duration
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
	if err := g.Wait(); err != nil {
		return r, err
	}
	used, err := cpuTime()
	if err != nil && processMeasured {
		return r, err
	}
	if len(s.Matches()) != matches {
		return r, errors.New("bench recovery: not all battles came back")
	}
	slices.Sort(done)
	r.FirstS, r.P50S, r.AllS = done[0].Seconds(), done[len(done)/2].Seconds(), done[len(done)-1].Seconds()
	r.CoreS = (used - cpu).Seconds() / float64(matches)
	return r, nil
}

// copies writes the battle to a store so many times, each as a match of its own.
func copies(ctx context.Context, dir *journal.Dir, to *jetstream.Store, n int) (ids []string, err error) {
	var records [][]byte
	read := func(each func(uint64, []byte) error) error {
		_, err := journal.ReadFile(dir.Path(recoveryMatch), func(n uint64, rec []byte) error {
			records = append(records, slices.Clone(rec))
			return each(n, rec)
		})
		return err
	}
	sum, err := journal.Walk(read, nil)
	if err != nil {
		return nil, err
	}
	state, err := dir.State(recoveryMatch)
	if err != nil || state == nil {
		return nil, errors.Join(err, errors.New("bench recovery: the battle has no saved state"))
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
