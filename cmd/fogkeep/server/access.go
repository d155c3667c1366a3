package server

import (
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/go-chi/chi/v5"
	"go.opentelemetry.io/otel/trace"

	"github.com/fogkeep/fogkeep/internal/listen"
)

// Lines per second of requests that are equal in all labels, in a log without debug lines.
const (
	readLinesMax  = 1 // successful reads: mostly polls
	otherLinesMax = 10
)

// accessLine has the labels of a request, which are few.
type accessLine struct {
	listener, method, route string
	code                    int
}

// lineMax returns how many such lines a sampled log gets per second.
func (l accessLine) lineMax() int {
	if l.code < http.StatusBadRequest && (l.method == http.MethodGet || l.method == http.MethodHead) && l.code != http.StatusSwitchingProtocols {
		return readLinesMax
	}
	return otherLinesMax
}

// accessLog writes a line per request. It has no addresses, paths and queries.
type accessLog struct {
	log *slog.Logger
	now func() time.Time

	mu     sync.Mutex
	counts map[accessLine]*lineCount // as many as the series of a metric
}

type lineCount struct {
	second  int64 // that written counts
	written int
	skipped int // since the last line
}

func newAccessLog(log *slog.Logger) *accessLog {
	return &accessLog{log: log, now: time.Now, counts: map[accessLine]*lineCount{}}
}

// sampled reports whether a line is due, and how many like it were left out since the last.
func (a *accessLog) sampled(l accessLine) (skipped int, due bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	c := a.counts[l]
	if c == nil {
		c = &lineCount{}
		a.counts[l] = c
	}
	if second := a.now().Unix(); second != c.second {
		c.second, c.written = second, 0
	}
	if c.written >= l.lineMax() {
		c.skipped++
		return 0, false
	}
	c.written++
	skipped, c.skipped = c.skipped, 0
	return skipped, true
}

// write writes the line of a request that has ended.
func (a *accessLog) write(r *http.Request, l accessLine, bytes int, took time.Duration) {
	skipped, due := 0, a.log.Enabled(r.Context(), slog.LevelDebug)
	if !due {
		if skipped, due = a.sampled(l); !due {
			return
		}
	}
	visit, route := listen.VisitOf(r.Context()), chi.RouteContext(r.Context())
	match := route.URLParam("match")
	if match == "" && strings.Contains(l.route, "/matches/{id}") {
		match = route.URLParam("id")
	}
	attrs := []slog.Attr{
		slog.String("id", visit.ID), slog.String("listener", l.listener), slog.String("method", l.method), slog.String("route", l.route),
		slog.Int("code", l.code), slog.Int("bytes", bytes), slog.Duration("took", took),
	}
	traced := ""
	if span := trace.SpanContextFromContext(r.Context()); span.IsSampled() {
		traced = span.TraceID().String()
	}
	for _, known := range []slog.Attr{slog.String("account", visit.Account), slog.String("match", match), slog.String("trace", traced)} {
		if known.Value.String() != "" {
			attrs = append(attrs, known)
		}
	}
	if skipped > 0 {
		attrs = append(attrs, slog.Int("skipped", skipped))
	}
	level := slog.LevelInfo
	if l.code >= http.StatusInternalServerError {
		level = slog.LevelWarn
	}
	a.log.LogAttrs(r.Context(), level, "request", attrs...)
}
