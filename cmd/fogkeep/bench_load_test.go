package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/internal/bench"
	"github.com/fogkeep/fogkeep/internal/clustertest"
)

// benchHost runs the test's own binary as both programs of a bench.
func benchHost(t *testing.T) bench.Host {
	self := clustertest.Program{Path: os.Args[0], Env: []string{asProgram + "=" + bench.Name}}
	return bench.Host{Program: thisProgram(), Self: self, Dir: t.TempDir(), Progress: t.Logf, AnyPace: true}
}

// TestBenchLoad plays a little of everything: three matches with rejoins, spectators
// who are late, people who wait, and a cut of all connections. The clients' states
// agree with the journals.
func TestBenchLoad(t *testing.T) {
	t.Parallel()
	c := bench.LoadConfig{
		Host: benchHost(t), Matches: 3, Players: 2, Units: 12, Seconds: 6, OrdersPerS: 2, Rejoins: 0.05, Spectators: 2, Delay: 1,
		Idle: 6, Storm: 10, Seed: 3,
	}
	r, err := bench.Load(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if r.Mismatches+r.Resyncs != 0 {
		t.Errorf("%d entities were held wrong, %d masks: %v", r.Mismatches, r.Resyncs, r.FirstMismatches)
	}
	if r.Clients != 6 || r.Compared == 0 || r.Orders < 20 || r.Rejoins == 0 || r.OrderRTTP50Ms <= 0 || r.OrderRTTP99Ms < r.OrderRTTP50Ms ||
		r.TickP99Ms <= 0 || r.WatchedTickP99 <= 0 || r.ReconnectP99S <= 0 || r.StormLoginP99S <= 0 || r.StormTickP99Ms <= 0 ||
		r.ServerCore <= 0 || r.RSSMB <= 0 {
		t.Errorf("%+v", r)
	}
	c.Storm = 100
	if _, err := bench.Load(t.Context(), c); err == nil {
		t.Error("more connections are cut than there are")
	}
}

// TestBenchFit measures three steps, and computes the machine's size from the last one.
func TestBenchFit(t *testing.T) {
	t.Parallel()
	r, err := bench.Fit(t.Context(), bench.FitConfig{Host: benchHost(t), Players: 2, Units: 20, Matches: 4, Seconds: 5, Share: 70, Memory: 80, Seed: 2})
	if err != nil {
		t.Fatal(err)
	}
	if r.Players != 2*r.Matches || r.Matches < 4 || r.BoundBy == "" || r.MbitPerS <= 0 || r.DiskMBPerHour <= 0 || r.EgressGB <= 0 || r.IdleMB <= 0 || len(r.Steps) != 3 {
		t.Errorf("%+v", r)
	}
	for i, s := range r.Steps {
		if s.Matches != 1<<i || s.ServerCore <= 0 || s.BytesPerS < 100 || s.DiskPerS <= 0 {
			t.Errorf("step %d: %+v", i, s)
		}
	}
}

// TestBenchLoadShort plays with so few bytes per second that clients lack much of their view for a while. The bench
// does not compare their state then; all other checks pass.
func TestBenchLoadShort(t *testing.T) {
	long(t)
	t.Parallel()
	r, err := bench.Load(t.Context(), bench.LoadConfig{
		Host: benchHost(t), Matches: 2, Players: 2, Units: 200, Seconds: 5, OrdersPerS: 6, Rejoins: 0.3, BytesPerS: 512, Storm: 4,
		Seed: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	if r.Mismatches+r.Resyncs != 0 {
		t.Errorf("%d entities were held wrong, %d masks: %v", r.Mismatches, r.Resyncs, r.FirstMismatches)
	}
	// Whether a short frame is of a tick that is compared is chance: see TestLoadCountsMismatches.
	if r.FramesShort == 0 || r.Compared == 0 {
		t.Errorf("%d frames had only a part, %d entities were compared", r.FramesShort, r.Compared)
	}
}

// TestBenchReplayBeside measures a live match for moments, without viewings of another
// one and beside them.
func TestBenchReplayBeside(t *testing.T) {
	long(t)
	t.Parallel()
	r, err := bench.ReplayBeside(t.Context(), bench.BesideConfig{
		Host: benchHost(t), Matches: 1, Units: 12, Viewings: 2, Length: 3, Seconds: 3, Seed: 3,
	})
	if err != nil {
		t.Fatal(err)
	}
	if r.TickP99Ms <= 0 || r.BesideTickP99Ms <= 0 || r.TickRatio <= 0 || r.ServerCore <= 0 || r.BesideServerCore <= 0 || r.TicksPerS <= 0 || r.Frames == 0 || r.Seeks == 0 || r.SliceP99Ms <= 0 {
		t.Errorf("%+v", r)
	}
	if _, err := bench.ReplayBeside(t.Context(), bench.BesideConfig{}); err == nil {
		t.Error("no live match is measured")
	}
}

// TestBenchLoadElsewhere plays on a server that was started apart. The clients' states agree with the
// replays that the server shows. Without its metrics the report says which keys have no value. Settings of
// the server are refused, and a server that takes all clients for one network is named as the reason.
func TestBenchLoadElsewhere(t *testing.T) {
	long(t)
	t.Parallel()
	p := newProcess(t, clustertest.BelieveAddresses...)
	p.start()
	p.open()
	c := bench.LoadConfig{
		Host: benchHost(t), URL: p.URL, MetricsURL: p.MetricsURL, Matches: 2, Players: 2, Units: 50, Seconds: 6, OrdersPerS: 2, Rejoins: 0.05,
		Storm: 4, Seed: 3,
	}
	r, err := bench.Load(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if r.Mismatches+r.Resyncs != 0 {
		t.Errorf("%d things were held wrong, %d masks: %v", r.Mismatches, r.Resyncs, r.FirstMismatches)
	}
	if r.Compared < 4*5 || r.Orders == 0 || r.TickP99Ms <= 0 || r.RSSMB <= 0 || r.ReconnectP99S <= 0 || slices.Contains(r.Unmeasured, "rss_mb") || !slices.Contains(r.Unmeasured, "units") {
		t.Errorf("%+v", r)
	}
	c.MetricsURL, c.Matches, c.Seconds, c.Storm = "", 1, 5, 0
	if r, err = bench.Load(t.Context(), c); err != nil || r.TickP99Ms != 0 || r.Compared == 0 || !slices.Contains(r.Unmeasured, "rss_mb") {
		t.Errorf("without metrics: %+v, %v", r, err)
	}
	for want, change := range map[string]func(*bench.LoadConfig){
		"--units":            func(c *bench.LoadConfig) { c.Units = 12 },
		"--bytes-per-second": func(c *bench.LoadConfig) { c.BytesPerS = 4096 },
		"--fogkeep":          func(c *bench.LoadConfig) { c.Fogkeep = "bin/fogkeep" },
		"--ruleset":          func(c *bench.LoadConfig) { c.URL, c.Ruleset = "", "skirmish" },
		"http(s)://":         func(c *bench.LoadConfig) { c.URL = "play.example.org" },
		"connection refused": func(c *bench.LoadConfig) { c.URL = "http://127.0.0.1:1" },
		"--metrics-url http": func(c *bench.LoadConfig) { c.MetricsURL = p.URL },
	} {
		bad := c
		change(&bad)
		if _, err := bench.Load(t.Context(), bad); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	strict := newProcess(t, "--limit", "new-guests.address=1")
	strict.start()
	strict.open()
	c.URL = strict.URL
	if _, err := bench.Load(t.Context(), c); err == nil || !strings.Contains(err.Error(), "--trusted-proxies") {
		t.Errorf("a server that counts all clients together: %v", err)
	}
}
