package jetstream

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// metrics are the store's, over all its logs. No match is a label.
type metrics struct {
	seconds                  prometheus.Histogram
	appends, records, fenced prometheus.Counter
	stalled                  prometheus.Gauge
}

func newMetrics(r prometheus.Registerer) *metrics {
	from := promauto.With(r)
	counter := func(name, help string) prometheus.Counter {
		return from.NewCounter(prometheus.CounterOpts{Namespace: "fogkeep", Subsystem: "journal", Name: name, Help: help})
	}
	return &metrics{
		seconds: from.NewHistogram(prometheus.HistogramOpts{
			Namespace: "fogkeep", Subsystem: "journal", Name: "append_seconds",
			Help:    "Time from the sending of a journal's message to the journal servers until a majority had it on disk.",
			Buckets: []float64{.001, .002, .004, .008, .016, .032, .064, .128, .25, .5, 1, 2, 4, 8},
		}),
		appends: counter("appends_total", "Messages that were written to journals in the journal servers."),
		records: counter("records_total", "Records in those messages."),
		fenced:  counter("fenced_total", "Journals that another process took over while this one had them open."),
		stalled: from.NewGauge(prometheus.GaugeOpts{Namespace: "fogkeep", Subsystem: "journal", Name: "stalled", Help: "Journals that cannot be written at the moment: no log leader, no connection, or a full store."}),
	}
}
