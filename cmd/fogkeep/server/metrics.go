package server

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"go.opentelemetry.io/otel/codes"

	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match/journal"
)

// httpMetrics counts the requests of the listeners. Routes and methods are labels, never
// paths: the number of series is bounded.
type httpMetrics struct {
	requests *prometheus.CounterVec
	took     *prometheus.HistogramVec
	lines    *accessLog
	tracer   tracer
}

func newHTTPMetrics(r prometheus.Registerer, lines *accessLog, traces tracer) *httpMetrics {
	factory := promauto.With(r)
	return &httpMetrics{
		lines: lines, tracer: traces,
		requests: factory.NewCounterVec(prometheus.CounterOpts{
			Namespace: "fogkeep", Subsystem: "http", Name: "requests_total", Help: "Requests that have ended, by listener, method, route and status code. Code 101 is a websocket.",
		}, []string{"listener", "method", "route", "code"}),
		took: factory.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: "fogkeep", Subsystem: "http", Name: "seconds", Help: "Time of a request, by listener. Websockets and event streams do not count.",
			Buckets: []float64{.001, .005, .02, .1, .5, 2, 10},
		}, []string{"listener"}),
	}
}

// of is the middleware for the routes of a listener.
func (m *httpMetrics) of(listener string) func(http.Handler) http.Handler {
	took := m.took.WithLabelValues(listener)
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			begin, seen := time.Now(), middleware.NewWrapResponseWriter(w, r.ProtoMajor)
			r, span := m.tracer.request(r, listener)
			defer func() { // after a panic too
				route := "other"
				if p := chi.RouteContext(r.Context()).RoutePatterns; len(p) > 0 {
					route = p[len(p)-1]
				}
				code := seen.Status()
				switch {
				case code == 0:
					code = http.StatusSwitchingProtocols // the socket was taken over
				case seen.Header().Get("Content-Type") != "text/event-stream":
					took.Observe(time.Since(begin).Seconds())
				}
				line := accessLine{listener, methodLabel(r.Method), route, code}
				m.requests.WithLabelValues(listener, line.method, route, strconv.Itoa(code)).Inc()
				m.lines.write(r, line, seen.BytesWritten(), time.Since(begin))
				answered(span, line)
			}()
			next.ServeHTTP(seen, r)
		})
	}
}

// methodLabel bounds the label: a client may send any word as its method.
func methodLabel(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "other"
}

// meteredStore measures the transactions of a database.
type meteredStore struct {
	db.Store
	took     *prometheus.HistogramVec
	failures *prometheus.CounterVec
	busy     *prometheus.GaugeVec
	tracer   tracer
}

// metered returns a database whose transactions are measured and traced.
func metered(s db.Store, r prometheus.Registerer, traces tracer) db.Store {
	factory := promauto.With(r)
	m := &meteredStore{
		Store: s, tracer: traces,
		took: factory.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: "fogkeep", Subsystem: "database", Name: "seconds", Help: "Time of a transaction, by kind: read or write.",
			Buckets: []float64{.0005, .002, .01, .05, .2, 1, 5},
		}, []string{"kind"}),
		failures: factory.NewCounterVec(prometheus.CounterOpts{
			Namespace: "fogkeep", Subsystem: "database", Name: "failures_total", Help: "Transactions that the database failed or did not answer in time, by kind.",
		}, []string{"kind"}),
		busy: factory.NewGaugeVec(prometheus.GaugeOpts{
			Namespace: "fogkeep", Subsystem: "database", Name: "transactions", Help: "Transactions that run, by kind.",
		}, []string{"kind"}),
	}
	for _, kind := range []string{"read", "write"} { // so that the first failure is an increase
		m.failures.WithLabelValues(kind)
	}
	reads, writes := s.Connections()
	factory.NewGauge(prometheus.GaugeOpts{
		Namespace: "fogkeep", Subsystem: "database", Name: "connections", Help: "Transactions that the database takes at a time.",
	}).Set(float64(reads + writes))
	return m
}

func (m *meteredStore) Read(ctx context.Context, fn func(*db.Tx) error) error {
	return m.measure(ctx, "read", func(ctx context.Context) error { return m.Store.Read(ctx, fn) })
}

func (m *meteredStore) Write(ctx context.Context, fn func(*db.Tx) error) error {
	return m.measure(ctx, "write", func(ctx context.Context) error { return m.Store.Write(ctx, fn) })
}

func (m *meteredStore) measure(ctx context.Context, kind string, transaction func(context.Context) error) error {
	ctx, span := m.tracer.transaction(ctx, kind)
	defer span.End()
	begin, busy := time.Now(), m.busy.WithLabelValues(kind)
	busy.Inc()
	defer busy.Dec()
	err := transaction(ctx)
	m.took.WithLabelValues(kind).Observe(time.Since(begin).Seconds())
	gone := errors.Is(ctx.Err(), context.Canceled) // the caller: no fault of the database
	if !gone && (errors.Is(err, model.ErrUnavailable) || errors.Is(err, context.DeadlineExceeded)) {
		m.failures.WithLabelValues(kind).Inc()
		span.SetStatus(codes.Error, "")
	}
	return err
}

// timedFile measures how long the disk takes to store a journal.
type timedFile struct {
	journal.Handle
	took prometheus.Histogram
}

func (f timedFile) Sync() error {
	begin := time.Now()
	err := f.Handle.Sync()
	f.took.Observe(time.Since(begin).Seconds())
	return err
}

// timedFiles is for [journal.Dir].Wrap.
func timedFiles(r prometheus.Registerer) func(journal.Handle) journal.Handle {
	took := promauto.With(r).NewHistogram(prometheus.HistogramOpts{
		Namespace: "fogkeep", Subsystem: "journal", Name: "sync_seconds", Help: "Time in which the disk stored a part of a journal. Orders are answered after it.",
		Buckets: []float64{.0002, .001, .003, .01, .03, .1, .3, 1, 3},
	})
	return func(h journal.Handle) journal.Handle { return timedFile{h, took} }
}
