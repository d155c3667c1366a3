package server

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/match/cluster"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/minimap/page"
)

// clusterInspect answers the live views of minimap/page for matches of all nodes. Who may look
// was asked before, at the node that was asked: between nodes it is not asked again.
type clusterInspect struct {
	own      *inspectAdapter
	matches  *clusterMatches
	cluster  *cluster.Cluster
	maps     mapCatalogue
	log      *slog.Logger
	mu       sync.Mutex
	remote   map[grid.MapHash]*grid.Map // of matches on other nodes
	hashes   map[*grid.Map]grid.MapHash // of matches here
	sessions map[string]*traceSession
	closed   bool
	traces   sync.WaitGroup // the sessions' goroutines
}

// The methods that nodes answer for the live views of others.
const (
	methodInspect = "inspect-marks" // nodes of earlier builds answer "inspect", in another shape
	methodMap     = "inspect-map"
	methodTraffic = "traffic"
	methodTrace   = "trace"
	methodLines   = "trace-lines"
)

type teamEyes = page.Eyes

type (
	// A map goes by its hash: who does not have it asks for it once.
	seenState struct {
		page.State
		Hash string `json:"hash"`
	}
	inspectCall struct {
		Match string `json:"match"`
		Team  int    `json:"eyes"` // page.Eyes
		Slot  uint8  `json:"slot"`
	}
	mapCall struct {
		Hash string `json:"hash"`
	}
	linesCall struct {
		Session string `json:"session"`
	}
	lines struct {
		Lines []page.TraceLine `json:"lines"`
		Ended bool             `json:"ended"`
	}
)

// Refusals of the page's source and their names between nodes.
var inspectErrors = []struct {
	code string
	err  error
}{{"inspect_no_match", page.ErrNoMatch}, {"inspect_no_team", page.ErrNoTeam}, {"inspect_no_seat", page.ErrNoSeat}, {"inspect_traces", page.ErrTraces}}

const (
	mapsRemembered = 256
	moveWait       = 3 * time.Second // a match that changes nodes is waited for so long
)

func newClusterInspect(own *inspectAdapter, matches *clusterMatches, maps mapCatalogue, log *slog.Logger) *clusterInspect {
	x := &clusterInspect{
		own: own, matches: matches, cluster: matches.cluster, maps: maps, log: log,
		remote: map[grid.MapHash]*grid.Map{}, hashes: map[*grid.Map]grid.MapHash{}, sessions: map[string]*traceSession{},
	}
	answer(x, methodInspect, func(ctx context.Context, in inspectCall) (any, error) {
		s, err := own.Inspect(ctx, in.Match, teamEyes(in.Team))
		if err != nil {
			return nil, err
		}
		hash := x.hashOf(s.Map)
		s.Map = nil
		return seenState{*s, hash}, nil
	})
	answer(x, methodMap, func(_ context.Context, in mapCall) (any, error) {
		hash, err := grid.ParseMapHash(in.Hash)
		if err != nil {
			return nil, err
		}
		public, ok := maps.Public(hash)
		if !ok {
			return nil, page.ErrNoMatch
		}
		return public, nil
	})
	answer(x, methodTraffic, func(ctx context.Context, in inspectCall) (any, error) { return own.Traffic(ctx, in.Match) })
	answer(x, methodTrace, func(ctx context.Context, in inspectCall) (any, error) { return x.beginTrace(ctx, in) })
	answer(x, methodLines, func(ctx context.Context, in linesCall) (any, error) { return x.nextLines(ctx, in.Session) })
	return x
}

// answer serves a method of the page's source to other nodes.
func answer[In any](x *clusterInspect, method string, do func(context.Context, In) (any, error)) {
	x.cluster.Handle(method, func(ctx context.Context, raw []byte) (any, error) {
		var in In
		if err := cluster.Decode(raw, &in); err != nil {
			return nil, err
		}
		out, err := do(ctx, in)
		for _, e := range inspectErrors {
			if errors.Is(err, e.err) {
				return nil, &cluster.CallError{Code: e.code, Text: err.Error()}
			}
		}
		return out, err
	})
}

func (x *clusterInspect) ask(ctx context.Context, node, method string, in, out any) error {
	err := x.cluster.Call(ctx, node, method, in, out)
	for _, e := range inspectErrors {
		if cluster.CodeOf(err) == e.code {
			return e.err
		}
	}
	return err
}

// hashOf names a map of a match that runs here.
func (x *clusterInspect) hashOf(m *grid.Map) string {
	x.mu.Lock()
	defer x.mu.Unlock()
	h, ok := x.hashes[m]
	if !ok {
		if len(x.hashes) >= mapsRemembered {
			clear(x.hashes)
		}
		h = m.Hash()
		x.hashes[m] = h
	}
	return h.String()
}

// mapOf returns the map of a match on another node. The same map is the same pointer:
// minimap/page keeps what it has drawn by it.
func (x *clusterInspect) mapOf(ctx context.Context, node, text string) (*grid.Map, error) {
	hash, err := grid.ParseMapHash(text)
	if err != nil {
		return nil, err
	}
	x.mu.Lock()
	m, ok := x.remote[hash]
	x.mu.Unlock()
	if ok {
		return m, nil
	}
	public, ok := x.maps.Public(hash)
	if !ok {
		if err := x.ask(ctx, node, methodMap, mapCall{text}, &public); err != nil {
			return nil, err
		}
	}
	if m, err = grid.UnmarshalMap(public); err != nil {
		return nil, err
	}
	if m.Hash() != hash {
		return nil, errors.New("another node sent another map than it named")
	}
	x.maps.Publish(m) // admins fetch it by its hash
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.remote) >= mapsRemembered {
		clear(x.remote)
	}
	if was, ok := x.remote[hash]; ok {
		return was, nil
	}
	x.remote[hash] = m
	return m, nil
}

// on does something with a match where it runs, and waits a little for one that
// changes nodes at the moment.
func (x *clusterInspect) on(ctx context.Context, id string, here func() error, there func(node string) error) error {
	for end := time.Now().Add(moveWait); ; {
		err := page.ErrNoMatch
		if x.own.Runs(id) {
			err = here()
		} else if n, ok := x.cluster.Where(id); ok && n.Name != x.matches.node {
			err = there(n.Name)
		} else if !x.matches.kept(id) {
			return page.ErrNoMatch
		}
		if err == nil || ctx.Err() != nil || time.Now().After(end) || !errors.Is(err, page.ErrNoMatch) && cluster.CodeOf(err) != cluster.CodeNoNode {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// Inspect implements page.Source.
func (x *clusterInspect) Inspect(ctx context.Context, id string, eyes page.Eyes) (out *page.State, err error) {
	err = x.on(ctx, id, func() (err error) {
		out, err = x.own.Inspect(ctx, id, eyes)
		return err
	}, func(node string) error {
		var s seenState
		if err := x.ask(ctx, node, methodInspect, inspectCall{Match: id, Team: int(eyes)}, &s); err != nil {
			return err
		}
		m, err := x.mapOf(ctx, node, s.Hash)
		if err != nil {
			return err
		}
		if n := m.W * m.H; len(s.Sight) != 0 && len(s.Sight) != n {
			return errors.New("another node sent a state that does not fit its map")
		}
		s.Map, out = m, &s.State
		return nil
	})
	return out, err
}

// Traffic implements page.Source.
func (x *clusterInspect) Traffic(ctx context.Context, id string) (out *page.Traffic, err error) {
	err = x.on(ctx, id, func() (err error) {
		out, err = x.own.Traffic(ctx, id)
		return err
	}, func(node string) error {
		out = &page.Traffic{}
		return x.ask(ctx, node, methodTraffic, inspectCall{Match: id}, out)
	})
	return out, err
}

// Trace implements page.Source. Lines of another node are fetched in batches. A trace
// ends when its match changes nodes.
func (x *clusterInspect) Trace(ctx context.Context, id string, slot grid.Slot, each func(page.TraceLine) error) error {
	return x.on(ctx, id, func() error { return x.own.Trace(ctx, id, slot, each) }, func(node string) error {
		var session string
		if err := x.ask(ctx, node, methodTrace, inspectCall{Match: id, Slot: uint8(slot)}, &session); err != nil {
			return err
		}
		for {
			var got lines
			err := x.ask(ctx, node, methodLines, linesCall{session}, &got)
			for _, l := range got.Lines {
				if err := each(l); err != nil {
					return err
				}
			}
			if ctx.Err() != nil || got.Ended {
				return nil
			}
			if err != nil {
				return err
			}
		}
	})
}

// traceSession is a trace for another node, which fetches its lines.
type traceSession struct {
	cancel context.CancelFunc
	more   chan struct{}

	mu    sync.Mutex
	lines []page.TraceLine
	lost  int
	ended bool
	idle  *time.Timer // ends it when nobody fetches
}

const (
	traceIdle     = 5 * time.Second
	traceBatch    = time.Second // how long a fetch waits for a line
	traceKept     = 1000        // lines that wait; what comes then is counted
	traceSessions = 64
)

func (x *clusterInspect) beginTrace(ctx context.Context, in inspectCall) (string, error) {
	run, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s := &traceSession{cancel: cancel, more: make(chan struct{}, 1)}
	s.idle = time.AfterFunc(traceIdle, cancel)
	id := strings.ToLower(in.Match) + "/" + rand.Text()
	x.mu.Lock()
	full := x.closed || len(x.sessions) >= traceSessions
	if !full {
		x.sessions[id] = s
		x.traces.Add(1)
	}
	x.mu.Unlock()
	if full {
		s.idle.Stop()
		cancel()
		return "", page.ErrTraces
	}
	began := make(chan error, 1)
	go func() {
		defer x.traces.Done()
		defer panics.Catch(x.log, "trace", nil)
		defer x.forget(id)
		err := x.own.Trace(run, in.Match, grid.Slot(in.Slot), s.add)
		s.mu.Lock()
		s.ended = true
		s.mu.Unlock()
		poke(s.more)
		began <- err
		if err == nil { // the last lines are fetched still
			<-run.Done()
		}
		cancel()
	}()
	select { // what is refused is refused at once
	case err := <-began:
		if err != nil {
			return "", err
		}
	case <-time.After(50 * time.Millisecond):
	}
	return id, nil
}

// close ends the traces for other nodes, and waits for them. Later ones are refused.
func (x *clusterInspect) close() {
	x.mu.Lock()
	x.closed = true
	for _, s := range x.sessions {
		s.cancel()
	}
	x.mu.Unlock()
	x.traces.Wait()
}

func (s *traceSession) add(l page.TraceLine) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.lines) >= traceKept {
		s.lost += 1 + l.Lost
		return nil
	}
	l.Lost += s.lost
	s.lost = 0
	s.lines = append(s.lines, l)
	poke(s.more)
	return nil
}

func (x *clusterInspect) forget(id string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.sessions, id)
}

func (x *clusterInspect) nextLines(ctx context.Context, id string) (out lines, err error) {
	x.mu.Lock()
	s := x.sessions[id]
	x.mu.Unlock()
	if s == nil {
		return lines{Ended: true}, nil
	}
	s.idle.Reset(traceIdle)
	ctx, cancel := context.WithTimeout(ctx, traceBatch)
	defer cancel()
	select {
	case <-s.more:
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	out = lines{s.lines, s.ended}
	s.lines = nil
	if s.ended {
		s.cancel()
	}
	return out, nil
}

func poke(to chan struct{}) {
	select {
	case to <- struct{}{}:
	default:
	}
}
