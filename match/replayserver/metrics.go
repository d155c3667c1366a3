package replayserver

import "github.com/prometheus/client_golang/prometheus"

// metrics are the service's. No match and no account is a label.
type metrics struct {
	viewings, sockets        prometheus.Gauge
	refused                  *prometheus.CounterVec
	waits                    prometheus.Counter
	frames, snapshots, bytes prometheus.Counter
	seeks                    prometheus.Histogram
}

func newMetrics(s *Service) *metrics {
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Namespace: "fogkeep", Subsystem: "replay", Name: name, Help: help})
	}
	gauge := func(name, help string) prometheus.Gauge {
		return prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "fogkeep", Subsystem: "replay", Name: name, Help: help})
	}
	m := &metrics{
		viewings:  gauge("viewings", "Replays that are being watched."),
		sockets:   gauge("sockets", "Clients that watch them."),
		refused:   prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "fogkeep", Subsystem: "replay", Name: "refused_total", Help: "Connections that were refused a replay, by code."}, []string{"code"}),
		waits:     counter("waits_total", "How often a viewing waited because live matches needed the processor."),
		frames:    counter("frames_total", "Frames sent."),
		snapshots: counter("snapshots_total", "Snapshots among them."),
		bytes:     counter("frame_bytes_total", "Bytes of frames."),
		seeks: prometheus.NewHistogram(prometheus.HistogramOpts{
			Namespace: "fogkeep", Subsystem: "replay", Name: "seek_seconds", Help: "Time from a seek to its frame.",
			Buckets: []float64{.01, .02, .05, .1, .2, .3, .5, 1, 2, 5, 10, 30},
		}),
	}
	if r := s.cfg.Registerer; r != nil {
		r.MustRegister(m.viewings, m.sockets, m.refused, m.waits, m.frames, m.snapshots, m.bytes, m.seeks)
	}
	return m
}
