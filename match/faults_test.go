package match

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fogkeep/fogkeep/match/grid"
	starlark "github.com/fogkeep/fogkeep/match/script"
	"github.com/fogkeep/fogkeep/match/sim"
)

// A script that fails in each tick makes a line in the log each ten seconds, with the number of its faults.
func TestFaultsAreReported(t *testing.T) {
	var said strings.Builder
	h := &host{log: slog.New(slog.NewTextHandler(&said, nil)), metrics: newMetrics(prometheus.NewRegistry(), func() float64 { return 100 })}
	f := faults{core: &core{host: h, spec: Spec{ID: "m1"}, rate: 10}}
	for tick := range grid.Tick(201) {
		f.tick(&sim.Outcome{Tick: tick, Faults: []*starlark.Fault{{Script: "hill.star", Line: 7, Handler: "tick", Why: "division by 0"}}})
	}
	lines := strings.Split(strings.TrimSpace(said.String()), "\n")
	if len(lines) != 3 || !strings.Contains(lines[2], `match=m1 tick=200 script=hill.star line=7 handler=tick error="division by 0" faults=100`) {
		t.Error(said.String())
	}
}
