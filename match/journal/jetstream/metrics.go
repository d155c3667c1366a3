package jetstream

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics are the store's, over all its logs. No match is a label.
type metrics struct {
	seconds prometheus.Histogram
	appends prometheus.Counter
	records prometheus.Counter
	fenced  prometheus.Counter
	stalled prometheus.Gauge
}

func newMetrics(r prometheus.Registerer) (*metrics, error) {
	m := &metrics{
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Namespace: "fogkeep", Subsystem: "journal", Name: "append_seconds",
			Help:    "Time from the sending of a journal's message to the log servers until a majority had it on disk.",
			Buckets: []float64{.001, .002, .004, .008, .016, .032, .064, .128, .25, .5, 1, 2, 4, 8},
		}),
		appends: prometheus.NewCounter(prometheus.CounterOpts{Namespace: "fogkeep", Subsystem: "journal", Name: "appends_total", Help: "Messages that were written to journals in the log servers."}),
		records: prometheus.NewCounter(prometheus.CounterOpts{Namespace: "fogkeep", Subsystem: "journal", Name: "records_total", Help: "Records in those messages."}),
		fenced:  prometheus.NewCounter(prometheus.CounterOpts{Namespace: "fogkeep", Subsystem: "journal", Name: "fenced_total", Help: "Journals that another process took over while this one had them open."}),
		stalled: prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "fogkeep", Subsystem: "journal", Name: "stalled", Help: "Journals that cannot be written at the moment: no log leader, no connection, or a full store."}),
	}
	if r == nil {
		return m, nil
	}
	for _, c := range []prometheus.Collector{m.seconds, m.appends, m.records, m.fenced, m.stalled} {
		if err := r.Register(c); err != nil {
			return nil, fmt.Errorf("metrics: %w", err)
		}
	}
	return m, nil
}
