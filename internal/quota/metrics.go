package quota

import "github.com/prometheus/client_golang/prometheus"

var (
	takenDesc   = prometheus.NewDesc("fogkeep_limit_taken", "The amount of a limited resource in use now.", []string{"resource"}, nil)
	limitDesc   = prometheus.NewDesc("fogkeep_limit_max", "The largest amount of a resource that the process may use.", []string{"resource"}, nil)
	refusedDesc = prometheus.NewDesc("fogkeep_limit_refused_total", "Refusals, by resource and by the scope of the limit.", []string{"resource", "scope"}, nil)
)

// Describe implements prometheus.Collector.
func (l *Ledger) Describe(to chan<- *prometheus.Desc) {
	to <- takenDesc
	to <- limitDesc
	to <- refusedDesc
}

// Collect implements prometheus.Collector. No metric names an account or an
// address.
func (l *Ledger) Collect(to chan<- prometheus.Metric) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for r, row := range l.limits {
		if row.Kind == Held {
			to <- prometheus.MustNewConstMetric(takenDesc, prometheus.GaugeValue, float64(l.amounts[key{resource: r, scope: Process}]), string(r))
			to <- prometheus.MustNewConstMetric(limitDesc, prometheus.GaugeValue, float64(row.Most[Process]), string(r))
		}
		for s, n := range l.refused[r] {
			if row.Most[s] > 0 {
				to <- prometheus.MustNewConstMetric(refusedDesc, prometheus.CounterValue, float64(n), string(r), Scope(s).String())
			}
		}
	}
}
