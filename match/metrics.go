package match

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// metrics are the service's, over all its matches. No match, player or slot is a label:
// there are few label values, and a metric reveals no player's actions.
type metrics struct {
	matches    prometheus.Gauge
	clients    prometheus.Gauge
	spectators prometheus.Gauge
	tick       prometheus.Histogram
	phases     [latePhase]prometheus.Observer // of a tick
	late       prometheus.Histogram
	pace       prometheus.GaugeFunc
	pauses     prometheus.Counter
	recovered  prometheus.Counter
	unplayable prometheus.Counter
	fenced     prometheus.Counter
	faults     prometheus.Counter
	carried    prometheus.Gauge
	diskWaits  prometheus.Counter
	diskFree   prometheus.Gauge
	diskLow    prometheus.Gauge
	refused    prometheus.Counter
	shed       prometheus.Counter
	skipped    prometheus.Counter
	snapshots  prometheus.Counter
	shortages  prometheus.Counter
	frames     prometheus.Counter
	trips      prometheus.Histogram
	reported   *prometheus.CounterVec // by what happened
	// By part of the messages and class of entity: see wire.PartTable. What
	// clients send is about no entity.
	sentBytes, sentRows         *prometheus.CounterVec
	receivedBytes, receivedRows *prometheus.CounterVec
}

// The phases of a tick that are timed, and how late it began.
const (
	stepPhase = iota
	writePhase
	viewPhase
	encodePhase
	latePhase
	phases
)

// phaseNames are labels, in the order of the phases.
var phaseNames = [latePhase]string{"step", "write", "view", "encode"}

func newMetrics(r prometheus.Registerer, pace func() float64) *metrics {
	factory := promauto.With(r)
	counter := func(name, help string) prometheus.Counter {
		return factory.NewCounter(prometheus.CounterOpts{Namespace: "fogkeep", Subsystem: "match", Name: name, Help: help})
	}
	gauge := func(name, help string) prometheus.Gauge {
		return factory.NewGauge(prometheus.GaugeOpts{Namespace: "fogkeep", Subsystem: "match", Name: name, Help: help})
	}
	times := func(name, help string) prometheus.HistogramOpts {
		return prometheus.HistogramOpts{
			Namespace: "fogkeep", Subsystem: "match", Name: name, Help: help,
			// Up to 30 ms a bound is about one and a half times the one before: percentiles are read between them.
			Buckets: []float64{.0002, .0003, .00045, .0007, .001, .0015, .0022, .0033, .005, .0075, .011, .016, .02, .03, .05, .1, .2, .5, 1},
		}
	}
	histogram := func(name, help string) prometheus.Histogram { return factory.NewHistogram(times(name, help)) }
	byPhase := factory.NewHistogramVec(times("phase_seconds", "Time of a phase of a tick: step simulates, write waits for the journal, view computes what each team sees, encode writes the frames."), []string{"phase"})
	var ofPhase [latePhase]prometheus.Observer
	for phase, name := range phaseNames {
		ofPhase[phase] = byPhase.WithLabelValues(name)
	}
	vec := func(name, help string, labels ...string) *prometheus.CounterVec {
		return factory.NewCounterVec(prometheus.CounterOpts{Namespace: "fogkeep", Subsystem: "match", Name: name, Help: help}, labels)
	}
	return &metrics{
		matches:    gauge("live", "Matches that run."),
		clients:    gauge("clients", "Clients that have a seat."),
		spectators: gauge("spectators", "Connected spectators."),
		tick:       histogram("tick_seconds", "Time a tick took."),
		phases:     ofPhase,
		late:       histogram("late_seconds", "How late a tick began."),
		pace: factory.NewGaugeFunc(prometheus.GaugeOpts{
			Namespace: "fogkeep", Subsystem: "match", Name: "pace_percent", Help: "How much of their speed matches get: less than 100 while the server cannot keep up.",
		}, pace),
		pauses:     counter("pauses_total", "Times a match could not keep up, or its disk could not."),
		recovered:  counter("recovered_total", "Matches brought back from their journals."),
		unplayable: counter("unrecovered_total", "Matches that could not be brought back; the log says why."),
		fenced:     counter("fenced_total", "Matches that another server has taken over while they ran here."),
		faults:     counter("script_faults_total", "Calls of scripts that failed: their effects were left out."),
		carried:    gauge("carried", "Sockets of clients that are carried to another server."),
		diskWaits:  counter("disk_waits_total", "Ticks whose frames waited for the journal."),
		diskFree:   gauge("disk_free_bytes", "Room where the journals lie."),
		diskLow:    gauge("disk_low", "1 while that is less than the reserve: no match is started."),
		refused:    counter("refused_total", "Connections closed for a bad message."),
		shed:       counter("inputs_shed_total", "Inputs answered RATE_LIMITED without a record, because their player has filled its share of the journal."),
		skipped:    counter("frames_skipped_total", "Frames not sent to a client that was behind."),
		snapshots:  counter("snapshots_total", "Frames that were snapshots."),
		shortages:  counter("frames_short_total", "Frames that could not hold all there was to tell."),
		frames:     counter("frames_total", "Frames sent."),

		trips:    histogram("client_trip_seconds", "Time from an order to its answer, as clients measured it: the median of a minute."),
		reported: vec("client_reported_total", "Events in the minutes that clients reported: received frames, late frames, gaps, corrections, drawn and slow pictures.", "event"),

		sentBytes:     vec("sent_bytes_total", "Payload bytes sent to clients.", "part", "class"),
		sentRows:      vec("sent_rows_total", "Rows sent to clients: entities told of, or times a part was sent.", "part", "class"),
		receivedBytes: vec("received_bytes_total", "Payload bytes that clients sent.", "part"),
		receivedRows:  vec("received_rows_total", "Times that clients sent a part.", "part"),
	}
}

// Skipped implements feed.Counter.
func (x *metrics) Skipped() { x.skipped.Inc() }

// Incomplete implements feed.Counter.
func (x *metrics) Incomplete() { x.shortages.Inc() }

// account adds a client's account of its connection.
func (x *metrics) account(r *wire.NetworkReport) {
	if r.TripMs > 0 {
		x.trips.Observe(float64(r.TripMs) / 1000)
	}
	for event, n := range map[string]int{
		"frame": r.Frames, "late_frame": r.Late, "gap": r.Gaps, "correction": r.Corrections, "picture": r.Drawn, "slow_picture": r.Slow,
	} {
		x.reported.WithLabelValues(event).Add(float64(n))
	}
}

// traffic adds the bytes that a match sent and received.
func (x *metrics) traffic(frames, snapshots uint64, sizes *wire.Sizes) {
	x.frames.Add(float64(frames))
	x.snapshots.Add(float64(snapshots))
	sizes.Each(func(p wire.Part, c pb.TypeClass, n wire.Count) {
		if wire.PartTable[p].Client {
			x.receivedBytes.WithLabelValues(p.String()).Add(float64(n.Bytes))
			x.receivedRows.WithLabelValues(p.String()).Add(float64(n.Rows))
			return
		}
		x.sentBytes.WithLabelValues(p.String(), wire.ClassName(c)).Add(float64(n.Bytes))
		x.sentRows.WithLabelValues(p.String(), wire.ClassName(c)).Add(float64(n.Rows))
	})
}
