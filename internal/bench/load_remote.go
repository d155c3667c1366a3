package bench

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/fogkeep/fogkeep/internal/clustertest"
	"github.com/fogkeep/fogkeep/lobby/api"
	"github.com/fogkeep/fogkeep/lobby/client"
	"github.com/fogkeep/fogkeep/lobby/model"
	matchclient "github.com/fogkeep/fogkeep/match/client"
	"github.com/fogkeep/fogkeep/match/grid"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// A load on a server that runs elsewhere has neither its process nor its journals. Ticks,
// processor time and memory come from the server's metrics, if the listener for them is
// named. The bench compares the state of each client with the replays that the server shows.

// unitsDefault is the default of LoadConfig.Units.
const unitsDefault = 50

// meteredOnly are the keys of a report that a load on a server elsewhere has only by the server's metrics.
var meteredOnly = []string{
	"tick_late_p99_ms", "tick_p99_ms", "server_core", "rss_mb", "watched_tick_p99_ratio", "watched_late_p99_ms", "idle_rss_mb",
	"storm_tick_p99_ratio", "storm_before_tick_p99_ms", "storm_tick_p99_ms", "storm_tick_late_p99_ms", "frames_short",
}

// checkPlace returns which setting makes no sense for the place of the server.
func (c *LoadConfig) checkPlace() error {
	if c.URL == "" {
		for flag, set := range map[string]bool{"--metrics-url": c.MetricsURL != "", "--ruleset": c.Ruleset != ""} {
			if set {
				return fmt.Errorf("bench load: %s needs --url: without it the bench starts the server itself", flag)
			}
		}
		return nil
	}
	for flag, set := range map[string]bool{"--units": c.Units != unitsDefault, "--bytes-per-second": c.BytesPerS != 0, "--fogkeep": c.Fogkeep != ""} {
		if set {
			return fmt.Errorf("bench load: %s cannot be set with --url: it is a setting of the server, which runs already", flag)
		}
	}
	for flag, text := range map[string]string{"--url": c.URL, "--metrics-url": c.MetricsURL} {
		u, err := url.Parse(text)
		if text != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
			return fmt.Errorf("bench load: %s %q: want http(s)://host", flag, text)
		}
	}
	return nil
}

// remoteLoad returns a load on a server that runs elsewhere.
func remoteLoad(ctx context.Context, c LoadConfig, r *LoadReport) (*load, error) {
	l := &load{LoadConfig: c, node: &clustertest.Node{URL: c.URL, MetricsURL: c.MetricsURL}, report: r, http: busyHTTP()}
	r.Units, r.Unmeasured = 0, []string{"units"}
	if c.MetricsURL == "" {
		r.Unmeasured = append(r.Unmeasured, meteredOnly...)
	}
	if err := clustertest.Get(ctx, c.URL+"/readyz"); err != nil {
		return nil, fmt.Errorf("bench load: --url %s: %w", c.URL, err)
	}
	if _, _, err := l.usage(ctx); err != nil {
		return nil, fmt.Errorf("bench load: --metrics-url %s: %w", c.MetricsURL, err)
	}
	return l, nil
}

// usage returns the processor time of the server so far, and its memory in MiB; zeroes if
// they are not measured.
func (l *load) usage(ctx context.Context) (cpu time.Duration, rssMB float64, err error) {
	switch {
	case l.URL == "":
		return l.node.CPU(), l.node.RSSMB(), nil
	case l.MetricsURL == "":
		return 0, 0, nil
	}
	v, err := l.node.Gauges(ctx, "process_cpu_seconds_total", "process_resident_memory_bytes")
	if err != nil {
		return 0, 0, err
	}
	return time.Duration(v[0] * float64(time.Second)), v[1] / (1 << 20), nil
}

// explain adds the remedy to the refusal of a server elsewhere that takes all clients for
// one network.
func (l *load) explain(err error) error {
	if no, ok := errors.AsType[*client.Refusal](err); ok && l.URL != "" && no.Status == http.StatusTooManyRequests {
		return fmt.Errorf("%w: all clients come from this machine; let the server trust it (--trusted-proxies), so that it counts each client by itself, or raise its --limit", err)
	}
	return err
}

// held is what a client held at a tick.
type held struct {
	tick     grid.Tick
	mask     uint32
	entities map[grid.Handle]heldEntity
}

type heldEntity struct {
	kind  uint16
	owner grid.Slot
	at    grid.Pos
}

func holds(s *matchclient.State) held {
	h := held{s.Tick(), s.MaskHash(), map[grid.Handle]heldEntity{}}
	for handle, e := range s.Replica.Entities {
		h.entities[handle] = heldEntity{e.Type, e.Owner, s.Replica.Pos(e, h.tick)}
	}
	return h
}

// notes notes what a player of a server elsewhere holds, at the ticks that are compared.
func (c *loadClient) notes(f *wire.ServerFrame) {
	if tick := c.client.Tick(); c.load.URL != "" && c.player && tick%reportEvery == 0 {
		if f.Diff.Partial {
			c.lacking++
			return
		}
		c.held = append(c.held, holds(c.client.State))
	}
}

// reckonMax is by how much two clients may differ about something that moves, world units.
// Each may be off by half the difference.
const reckonMax = 256

// differs says how what a client held differs from what a replay shows with its team's eyes.
func (h *held) differs(truth *held) error {
	if h.mask != truth.mask {
		return errors.New("another mask")
	}
	for handle, e := range truth.entities {
		got, ok := h.entities[handle]
		switch {
		case !ok:
			return fmt.Errorf("lacks handle %d", handle)
		case got.kind != e.kind || got.owner != e.owner:
			return fmt.Errorf("holds handle %d as type %d of %d, it is type %d of %d", handle, got.kind, got.owner, e.kind, e.owner)
		case !got.at.Within(e.at, reckonMax):
			return fmt.Errorf("holds handle %d at %v, it is at %v", handle, got.at, e.at)
		}
	}
	for handle := range h.entities {
		if _, ok := truth.entities[handle]; !ok {
			return fmt.Errorf("holds handle %d, which is not in sight", handle)
		}
	}
	return nil
}

// compareReplays ends the matches, watches their replays with each team's eyes, and compares
// them with what the clients held. Without replays it says so in the report.
func (l *load) compareReplays(ctx context.Context) error {
	var mu sync.Mutex
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(2)
	for i := 0; i < len(l.clients); i += l.Players {
		of := l.clients[i : i+l.Players]
		g.Go(func() error {
			r, err := compareReplay(gctx, l.URL, of)
			if err != nil {
				return fmt.Errorf("bench load: the replay of match %s: %w", of[0].match, err)
			}
			mu.Lock()
			defer mu.Unlock()
			l.report.Compared += r.Compared
			l.report.Uncompared += r.Uncompared
			l.report.Mismatches += r.Mismatches
			l.report.FirstMismatches = append(l.report.FirstMismatches, r.FirstMismatches...)
			l.report.FirstMismatches = l.report.FirstMismatches[:min(10, len(l.report.FirstMismatches))]
			return nil
		})
	}
	err := g.Wait()
	if _, off := errors.AsType[noReplay](err); off {
		l.Progress("%v: only the masks were compared, with the server's hashes", err)
		l.report.Compared, l.report.Uncompared = 0, 0
		l.report.Unmeasured, err = append(l.report.Unmeasured, "compared", "mismatches", "uncompared"), nil
	}
	for _, c := range l.clients {
		l.report.Resyncs += int(c.resyncs.Load())
	}
	return err
}

// noReplay is why a server shows no replay.
type noReplay struct{ why string }

func (n noReplay) Error() string { return "the server offers no replay (" + n.why + ")" }

// compareReplay compares one match.
func compareReplay(ctx context.Context, at string, of []*loadClient) (r LoadReport, err error) {
	for _, c := range of {
		if _, err := c.who.Leave(ctx, c.lobby); err != nil && !client.Refused(err, model.WrongState) && !client.Refused(err, model.NotSeated) {
			return r, err // else it ended with the leaving of the others
		}
	}
	if err := of[0].watchable(ctx); err != nil {
		return r, err
	}
	v, err := clustertest.NewViewer(ctx, "viewer", []string{at}, of[0].who, of[0].match)
	if err == nil {
		err = v.Open(ctx, at, at)
	}
	if err != nil {
		return r, err
	}
	defer v.Close()
	for _, c := range of {
		paused, eyes := true, uint32(c.record.Team)+1
		if err := v.Control(&pb.ReplayControl{Paused: &paused, Eyes: &eyes}); err != nil {
			return r, err
		}
		r.Uncompared += c.lacking
		for i := range c.held {
			h := &c.held[i]
			tick := uint32(h.tick)
			if err := v.Control(&pb.ReplayControl{Seek: &tick}); err != nil {
				return r, err
			}
			truth := holds(v.State())
			r.Compared += len(truth.entities)
			if err := h.differs(&truth); err != nil {
				r.Mismatches++
				r.FirstMismatches = append(r.FirstMismatches, fmt.Sprintf("%s: tick %d: %v", c.record.Name, h.tick, err))
			}
		}
	}
	return r, nil
}

// watchable waits until the replay of the client's match can be watched.
func (c *loadClient) watchable(ctx context.Context) error {
	for end := time.Now().Add(waitMax); ; time.Sleep(50 * time.Millisecond) {
		var facts api.ReplayFacts
		err := c.who.Call(ctx, http.MethodGet, "/api/replays/"+c.match, nil, &facts)
		switch {
		case err != nil:
			return err
		case facts.Unavailable == "" && facts.Live == nil:
			return nil
		case facts.Unavailable != "" && facts.Unavailable != "not_over":
			return noReplay{facts.Unavailable}
		case time.Now().After(end):
			return fmt.Errorf("it cannot be watched %v after its players have left: %s", waitMax, facts.Unavailable)
		}
	}
}
