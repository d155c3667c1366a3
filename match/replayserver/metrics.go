package replayserver

import "github.com/prometheus/client_golang/prometheus"

// metrics are the service's. No match and no account is a label.
type metrics struct {
	viewings, sockets        prometheus.Gauge
	refused                  *prometheus.CounterVec
	ticks, waits             prometheus.Counter
	frames, snapshots, bytes prometheus.Counter
	seeks, opened, slices    prometheus.Histogram
}

func newMetrics(s *Service) *metrics {
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Namespace: "fogkeep", Subsystem: "replay", Name: name, Help: help})
	}
	gauge := func(name, help string) prometheus.Gauge {
		return prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "fogkeep", Subsystem: "replay", Name: name, Help: help})
	}
	seconds := func(name, help string) prometheus.Histogram {
		return prometheus.NewHistogram(prometheus.HistogramOpts{
			Namespace: "fogkeep", Subsystem: "replay", Name: name, Help: help, Buckets: []float64{.01, .02, .05, .1, .2, .3, .5, 1, 2, 5, 10, 30},
		})
	}
	m := &metrics{
		viewings:  gauge("viewings", "Replays that are being watched."),
		sockets:   gauge("sockets", "Clients that watch them."),
		refused:   prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "fogkeep", Subsystem: "replay", Name: "refused_total", Help: "Connections that were refused a replay, by code."}, []string{"code"}),
		ticks:     counter("ticks_total", "Ticks that were played again."),
		waits:     counter("waits_total", "How often a viewing waited because live matches needed the processor."),
		frames:    counter("frames_total", "Frames sent."),
		snapshots: counter("snapshots_total", "Snapshots among them."),
		bytes:     counter("frame_bytes_total", "Bytes of frames."),
		seeks:     seconds("seek_seconds", "Time from a seek to its frame."),
		opened:    seconds("open_seconds", "Time to read a journal that was not being watched."),
		slices: prometheus.NewHistogram(prometheus.HistogramOpts{
			Namespace: "fogkeep", Subsystem: "replay", Name: "slice_seconds", Help: "How long a replay was played on before others had their turn.",
			Buckets: []float64{.001, .002, .005, .01, .02, .05, .1, .2, .5},
		}),
	}
	if r := s.cfg.Registerer; r != nil {
		memory := prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: "fogkeep", Subsystem: "replay", Name: "reserved_bytes", Help: "Memory reserved for replays."}, func() float64 {
			s.mu.Lock()
			defer s.mu.Unlock()
			return float64(s.reserved)
		})
		r.MustRegister(m.viewings, m.sockets, m.refused, m.ticks, m.waits, m.frames, m.snapshots, m.bytes, m.seeks, m.opened, m.slices, memory)
	}
	return m
}
