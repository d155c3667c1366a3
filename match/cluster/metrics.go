package cluster

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// metrics are this node's. No node, match or player is a label.
type metrics struct {
	alive, suspected, directory, orphans, waiting, isAlone, draining prometheus.Gauge
	takeovers, moves                                                 *prometheus.CounterVec
	frozen, pause                                                    prometheus.Histogram
	bad, stepdowns                                                   prometheus.Counter
}

func newMetrics(r prometheus.Registerer) *metrics {
	opts := func(name, help string) prometheus.Opts {
		return prometheus.Opts{Namespace: "fogkeep", Subsystem: "cluster", Name: name, Help: help}
	}
	from := promauto.With(r)
	gauge := func(name, help string) prometheus.Gauge { return from.NewGauge(prometheus.GaugeOpts(opts(name, help))) }
	counter := func(name, help string) prometheus.Counter {
		return from.NewCounter(prometheus.CounterOpts(opts(name, help)))
	}
	vec := func(name, help, label string) *prometheus.CounterVec {
		return from.NewCounterVec(prometheus.CounterOpts(opts(name, help)), []string{label})
	}
	histogram := func(name, help string) prometheus.Histogram {
		return from.NewHistogram(prometheus.HistogramOpts{
			Namespace: "fogkeep", Subsystem: "cluster", Name: name, Help: help, Buckets: []float64{.05, .1, .2, .5, 1, 1.5, 2, 3, 5, 10, 30, 60},
		})
	}
	x := &metrics{
		alive:     gauge("nodes_alive", "Nodes that this node hears, itself included."),
		suspected: gauge("nodes_suspected", "Nodes that it does not hear any more."),
		directory: gauge("directory_matches", "Matches in the directory."),
		orphans:   gauge("orphans", "Matches that wait for a node."),
		waiting:   gauge("waiting_for_build", "Matches without a node that no live node can play: they wait for a node with the build that began them."),
		isAlone:   gauge("alone", "1 while the journal store does not answer this node."),
		draining:  gauge("draining", "1 while this node is emptied."),
		takeovers: vec("takeovers_total", "Matches of dead nodes that this node took over, by outcome.", "result"),
		moves:     vec("moves_total", "Matches that left this node by a planned move, by outcome.", "result"),
		frozen:    histogram("takeover_seconds", "From the suspicion of a match's node until the match ran here."),
		pause:     histogram("move_pause_seconds", "How long a match stood still for a planned move."),
		bad:       counter("bad_messages_total", "Messages of other nodes that were dropped."),
		stepdowns: counter("leader_moves_total", "Leaders of the journal store that this node asked to hand over."),
	}
	for _, result := range outcomes { // a first takeover is an increase then
		x.takeovers.WithLabelValues(result)
	}
	for _, result := range []string{"moved", CodeFailed, CodeReturned} {
		x.moves.WithLabelValues(result)
	}
	return x
}

var outcomes = map[outcome]string{took: "took", wasOver: "over", cannotPlay: "other_build", failed: "failed"}

func (x *metrics) tookOver(result outcome, frozen time.Duration) {
	x.takeovers.WithLabelValues(outcomes[result]).Inc()
	if result == took {
		x.frozen.Observe(frozen.Seconds())
	}
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
