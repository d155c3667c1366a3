package queue

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fogkeep/fogkeep/lobby/model"
)

// queueMetrics are the metrics of matchmaking. The labels are ids of queues, which the
// operator chose, and kinds of answers.
type queueMetrics struct {
	players *prometheus.GaugeVec
	wait    *prometheus.HistogramVec
	answers *prometheus.CounterVec
}

func newQueueMetrics(r prometheus.Registerer) *queueMetrics {
	m := &queueMetrics{
		players: prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: "fogkeep", Subsystem: "queue", Name: "players", Help: "Players who wait in a queue, across all processes that share the database."}, []string{"queue"}),
		wait: prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: "fogkeep", Subsystem: "queue", Name: "wait_seconds", Help: "How long players waited until their match was started.",
			Buckets: []float64{2, 5, 10, 20, 40, 60, 120, 300, 600, 1800}}, []string{"queue"}),
		answers: prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "fogkeep", Subsystem: "queue", Name: "answers_total", Help: "Players' answers to offered matches: accepted, declined, or missed (no answer in time)."}, []string{"answer"}),
	}
	if r != nil {
		r.MustRegister(m.players, m.wait, m.answers)
	}
	return m
}

func (m *queueMetrics) lengths(queues []model.Queue, now map[string]model.QueueLength) {
	for i := range queues {
		m.players.WithLabelValues(queues[i].ID).Set(float64(now[queues[i].ID].Players))
	}
}

func (m *queueMetrics) started(queue string, waits []time.Duration) {
	for _, w := range waits {
		m.wait.WithLabelValues(queue).Observe(w.Seconds())
	}
}

func (m *queueMetrics) answer(kind string) { m.answers.WithLabelValues(kind).Inc() }
