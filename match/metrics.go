package match

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/view"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// metrics are the service's, over all its matches. No match, player or slot is
// a label: numbers of labels stay small, and a metric tells nobody what
// somebody else does.
type metrics struct {
	matches   prometheus.Gauge
	sessions  prometheus.Gauge
	tick      prometheus.Histogram
	late      prometheus.Histogram
	pauses    prometheus.Counter
	diskWaits prometheus.Counter
	refused   prometheus.Counter
	skipped   prometheus.Counter
	snapshots prometheus.Counter
	shortages prometheus.Counter
	frames    prometheus.Counter
	bytes     *prometheus.CounterVec // by part
	rows      *prometheus.CounterVec // by kind
}

func newMetrics(r prometheus.Registerer) *metrics {
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Namespace: "fogkeep", Subsystem: "match", Name: name, Help: help})
	}
	gauge := func(name, help string) prometheus.Gauge {
		return prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "fogkeep", Subsystem: "match", Name: name, Help: help})
	}
	histogram := func(name, help string) prometheus.Histogram {
		return prometheus.NewHistogram(prometheus.HistogramOpts{
			Namespace: "fogkeep", Subsystem: "match", Name: name, Help: help,
			Buckets: []float64{.0002, .0005, .001, .002, .005, .01, .02, .05, .1, .2, .5, 1},
		})
	}
	vec := func(name, help, label string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "fogkeep", Subsystem: "match", Name: name, Help: help}, []string{label})
	}
	m := &metrics{
		matches:   gauge("live", "Matches that run."),
		sessions:  gauge("sessions", "Clients that have a seat."),
		tick:      histogram("tick_seconds", "Time a tick took."),
		late:      histogram("late_seconds", "How late a tick began."),
		pauses:    counter("pauses_total", "Times a match could not keep up, or its disk could not."),
		diskWaits: counter("disk_waits_total", "Ticks whose frames waited for the journal."),
		refused:   counter("refused_total", "Connections closed for a bad message."),
		skipped:   counter("frames_skipped_total", "Frames not sent to a client that was behind."),
		snapshots: counter("snapshots_total", "Frames that were snapshots."),
		shortages: counter("frames_short_total", "Frames that could not hold all there was to tell."),
		frames:    counter("frames_total", "Frames sent."),
		bytes:     vec("sent_bytes_total", "Payload bytes sent, by part of the frame.", "part"),
		rows:      vec("sent_rows_total", "Entities told of, by what was told.", "kind"),
	}
	if r != nil {
		r.MustRegister(m.matches, m.sessions, m.tick, m.late, m.pauses, m.diskWaits, m.refused, m.skipped, m.snapshots, m.shortages, m.frames, m.bytes, m.rows)
	}
	return m
}

// counts is how many rows of each kind a frame has.
type counts struct{ enter, leave, motion, values int }

func (c *counts) of(d *view.Diff) {
	c.enter, c.leave, c.motion = len(d.Enter), len(d.Leave)+len(d.Destroyed), len(d.Motion)
	for i := range d.Values {
		c.values += len(d.Values[i])
	}
}

// traffic sums up what a match sent since it last told the metrics.
type traffic struct {
	frames, snapshots int
	sizes             wire.Sizes
	counts            counts
	total             Traffic
}

// Traffic is what a match has sent, for the list of matches and the benches.
type Traffic struct {
	Frames, Snapshots uint64
	Bytes             [wire.Parts]uint64 // payload, by part of the frame
	Enters, Leaves    uint64
	Motions, Values   uint64
	Resyncs           uint64
}

// Minus returns what was sent since an earlier count.
func (t Traffic) Minus(was Traffic) Traffic {
	for i := range t.Bytes {
		t.Bytes[i] -= was.Bytes[i]
	}
	t.Frames, t.Snapshots, t.Resyncs = t.Frames-was.Frames, t.Snapshots-was.Snapshots, t.Resyncs-was.Resyncs
	t.Enters, t.Leaves = t.Enters-was.Enters, t.Leaves-was.Leaves
	t.Motions, t.Values = t.Motions-was.Motions, t.Values-was.Values
	return t
}

// frame counts one frame: its clock's bytes, the team's part and the own part.
func (t *traffic) frame(sizes *wire.Sizes, rows *counts, clock, own int, snapshot bool) {
	t.frames++
	if snapshot {
		t.snapshots++
	}
	for i, n := range sizes {
		t.sizes[i] += n
	}
	t.sizes[wire.PartHeader] += clock
	t.sizes[wire.PartOwn] += own
	t.counts.enter += rows.enter
	t.counts.leave += rows.leave
	t.counts.motion += rows.motion
	t.counts.values += rows.values
}

// add takes over what a session that ends has counted.
func (t *traffic) add(m *live, s *session) {
	if s != nil {
		t.total.Resyncs += uint64(s.resyncs)
		s.resyncs = 0
	}
}

// tick hands the sums on once a second.
func (t *traffic) tick(m *live, now grid.Tick) {
	if int(now)%m.rate != 0 {
		return
	}
	x := m.service.metrics
	x.frames.Add(float64(t.frames))
	x.snapshots.Add(float64(t.snapshots))
	sum := 0
	for i, n := range t.sizes {
		if n > 0 {
			x.bytes.WithLabelValues(wire.Part(i).String()).Add(float64(n))
			t.total.Bytes[i] += uint64(n)
			sum += n
		}
	}
	x.rows.WithLabelValues("enter").Add(float64(t.counts.enter))
	x.rows.WithLabelValues("leave").Add(float64(t.counts.leave))
	x.rows.WithLabelValues("motion").Add(float64(t.counts.motion))
	x.rows.WithLabelValues("value").Add(float64(t.counts.values))
	t.total.Frames += uint64(t.frames)
	t.total.Snapshots += uint64(t.snapshots)
	t.total.Enters += uint64(t.counts.enter)
	t.total.Leaves += uint64(t.counts.leave)
	t.total.Motions += uint64(t.counts.motion)
	t.total.Values += uint64(t.counts.values)
	for _, st := range m.seats {
		t.add(m, st.session)
	}
	if m.service.cfg.LogTraffic {
		m.service.log.Info("traffic", "match", m.spec.ID, "tick", now, "frames", t.frames, "bytes", sum,
			"enters", t.counts.enter, "leaves", t.counts.leave, "motions", t.counts.motion, "values", t.counts.values)
	}
	*t = traffic{total: t.total}
}
