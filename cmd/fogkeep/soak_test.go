package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/fogkeep/fogkeep/internal/clustertest"
)

// soakSample is what the server's process held at a moment.
type soakSample struct{ goroutines, descriptors, heapMB float64 }

func takeSample(ctx context.Context, n *clustertest.Node) (soakSample, error) {
	v, err := n.Gauges(ctx, "go_goroutines", "process_open_fds", "go_memstats_heap_alloc_bytes")
	if err != nil {
		return soakSample{}, err
	}
	return soakSample{v[0], v[1], v[2] / (1 << 20)}, nil
}

// medianSample returns the medians of the samples' values.
func medianSample(list []soakSample) soakSample {
	of := func(value func(soakSample) float64) float64 {
		values := make([]float64, len(list))
		for i, s := range list {
			values[i] = value(s)
		}
		slices.Sort(values)
		return values[len(values)/2]
	}
	return soakSample{
		of(func(s soakSample) float64 { return s.goroutines }), of(func(s soakSample) float64 { return s.descriptors }),
		of(func(s soakSample) float64 { return s.heapMB }),
	}
}

// How much more the server may hold at the end than at the beginning: connections to the
// database and of the reader of the metrics.
const (
	soakGoroutines  = 16
	soakDescriptors = 24
	soakSamples     = 120 // of which a quarter has a median that says something
)

// soakLeaks returns in which values the server held more in the last quarter of the
// samples than in the second, or holds more after the last match than before the first.
func soakLeaks(before, after soakSample, samples []soakSample) (out []string) {
	grown := func(name string, early, late, share, slack float64) {
		if late > early*share+slack {
			out = append(out, fmt.Sprintf("%s: %.0f, then %.0f", name, early, late))
		}
	}
	grown("goroutines after the end", before.goroutines, after.goroutines, 1, soakGoroutines)
	grown("descriptors after the end", before.descriptors, after.descriptors, 1, soakDescriptors)
	if n := len(samples); n >= soakSamples {
		early, late := medianSample(samples[n/4:n/2]), medianSample(samples[n-n/4:])
		grown("goroutines", early.goroutines, late.goroutines, 1.15, soakGoroutines)
		grown("descriptors", early.descriptors, late.descriptors, 1.15, soakDescriptors)
		grown("MB of heap", early.heapMB, late.heapMB, 1.2, 8)
	}
	return out
}

// TestSoak lets matches begin and end: people log in, wait, play, lose their connection,
// watch late, leave and watch the replay. After the last one the server holds what it
// held before. The long form takes an hour, in which heap, goroutines and descriptors
// stay flat.
func TestSoak(t *testing.T) {
	t.Parallel()
	ctx, long, lanes, every, least := t.Context(), 4*time.Second, 2, 200*time.Millisecond, 2
	if os.Getenv("FOGKEEP_TEST_LONG") != "" {
		long, lanes, every, least = time.Hour, 4, 5*time.Second, 1000
	}
	args := append([]string{"--disk-reserve-mib", "0", "--grace", "1s"}, clustertest.BelieveAddresses...)
	for _, limit := range []string{"match-ticks", "match-starts", "new-guests", "new-lobbies", "handshakes", "requests", "lobby-changes"} {
		args = append(args, "--limit", limit+".process=0")
	}
	p := newProcess(t, args...)
	p.start()
	p.open()
	before, err := takeSample(ctx, p.Node)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	rounds := 0
	var samples []soakSample
	end := time.Now().Add(long)
	g, gctx := errgroup.WithContext(ctx)
	for lane := range lanes {
		g.Go(func() error {
			for round := 0; time.Now().Before(end); round++ {
				if err := soakRound(gctx, p.Node, fmt.Sprintf("soak%d-%d", lane, round)); err != nil {
					return err
				}
				mu.Lock()
				rounds++
				mu.Unlock()
			}
			return nil
		})
	}
	g.Go(func() error {
		for tick := time.NewTicker(every); time.Now().Before(end) && gctx.Err() == nil; <-tick.C {
			s, err := takeSample(gctx, p.Node)
			if err != nil {
				return err
			}
			samples = append(samples, s)
		}
		return nil
	})
	if err := g.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, p.Output(4000))
	}
	http.DefaultClient.CloseIdleConnections()
	var after soakSample
	for end := time.Now().Add(time.Minute); ; time.Sleep(200 * time.Millisecond) { // the last matches show their end for some seconds
		if after, err = takeSample(ctx, p.Node); err != nil {
			t.Fatal(err)
		}
		if len(soakLeaks(before, after, nil)) == 0 || time.Now().After(end) {
			break
		}
	}
	t.Logf("%d matches; before %+v, after %+v", rounds, before, after)
	if rounds < least {
		t.Errorf("%d matches, want at least %d", rounds, least)
	}
	for _, leak := range soakLeaks(before, after, samples) {
		t.Error(leak)
	}
}

// TestSoakFindsLeaks: a server that holds more and more is found, in each of its values.
func TestSoakFindsLeaks(t *testing.T) {
	before, samples := soakSample{50, 30, 20}, []soakSample{}
	for i := range 200 {
		samples = append(samples, soakSample{50 + float64(i), 30 + float64(i), 20 + float64(i)})
	}
	if n := len(soakLeaks(before, samples[199], samples)); n != 5 {
		t.Errorf("%d leaks are found", n)
	}
	if leaks := soakLeaks(before, before, slices.Repeat(samples[:1], 200)); len(leaks) > 0 {
		t.Errorf("in a server that stays as it is: %v", leaks)
	}
}

// soakRound is one match, from its lobby to its replay.
func soakRound(ctx context.Context, n *clustertest.Node, name string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	visits := &http.Client{Transport: &http.Transport{}}
	defer visits.CloseIdleConnections()
	waits := clustertest.Visitor(n.URL, visits)
	if _, err := waits.Guest(ctx, ""); err != nil {
		return err
	}
	stream, err := waits.Stream(ctx, "/api/queue/events")
	if err != nil {
		return err
	}
	defer stream.Close()
	if _, err := io.ReadFull(stream, make([]byte, 16)); err != nil {
		return err
	}
	m, err := clustertest.NewMatch(ctx, clustertest.MatchConfig{
		Name: name, URLs: []string{n.URL}, Players: 2, Options: map[string]any{"spectators": 1, "spectatorDelay": 1},
	})
	if err != nil {
		return err
	}
	defer m.Close()
	if err := soakWatch(ctx, name+"-late", n, func() (*clustertest.Viewer, error) {
		return clustertest.NewSpectator(ctx, name+"-late", []string{n.URL}, m)
	}); err != nil {
		return err
	}
	cut := m.Players[0]
	cut.Cut()
	for welcomed := 0; welcomed < 2; time.Sleep(5 * time.Millisecond) { // the player comes back on its own
		welcomed = 0
		for _, c := range cut.Connections() {
			if c.Welcomed {
				welcomed++
			}
		}
		if ctx.Err() != nil {
			return fmt.Errorf("a player does not come back: %w", cut.Story())
		}
	}
	if err := m.Playing(ctx, 20); err != nil {
		return err
	}
	for _, p := range m.Players {
		p.Quit()
	}
	if err := m.Wait(ctx); err != nil {
		return err
	}
	if err := clustertest.Over(ctx, n.Journal(m.ID)); err != nil {
		return err
	}
	r := clustertest.Verify(n.Journal(m.ID), m.Players, true)
	if err := r.Err(); err != nil {
		return err
	}
	return soakWatch(ctx, name+"-again", n, func() (*clustertest.Viewer, error) {
		return clustertest.NewViewer(ctx, name+"-again", []string{n.URL}, m.Host, m.ID)
	})
}

// soakWatch sees a few frames of a match, as soon as the server lets it.
func soakWatch(ctx context.Context, name string, n *clustertest.Node, viewer func() (*clustertest.Viewer, error)) error {
	v, err := viewer()
	if err != nil {
		return err
	}
	defer v.Close()
	for opened := false; !opened; time.Sleep(50 * time.Millisecond) { // the server decides when a viewer may come
		err := v.Open(ctx, n.URL, n.URL)
		if opened = err == nil; !opened && ctx.Err() != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	for frames := 0; frames < 5; {
		f, err := v.Next()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if f.IsFrame() {
			frames++
		}
	}
	_, _, _, wrong := v.Shown()
	return wrong
}
