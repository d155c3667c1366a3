package natsnode

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// serverLog hands the lines of an embedded server to the process's logger. Strangers' connections make lines, so they
// are bounded; the next line has the count of dropped ones.
type serverLog struct {
	log     *slog.Logger
	lines   *rate.Limiter
	started time.Time

	mu      sync.Mutex
	dropped int
	bad     string // why the server cannot run, the first reason
}

func (l *serverLog) line(level slog.Level, format string, v []any) {
	text := fmt.Sprintf(format, v...)
	l.mu.Lock()
	if !l.lines.Allow() {
		l.dropped++
		l.mu.Unlock()
		return
	}
	left := l.dropped
	l.dropped = 0
	l.mu.Unlock()
	if left > 0 {
		l.log.Warn("lines of the journal server left out", "lines", left)
	}
	l.log.Log(context.Background(), levelOf(level, text, time.Since(l.started)), text)
}

// settles is how long a server may take to find the others. Each member of a new cluster waits for them at first.
const settles = time.Minute

// awayReports is how many attempts to reach a lost server make one line of the log. There is one attempt per second.
const awayReports = 300

// untilSettled are warnings and errors without cause until then.
var untilSettled = []string{"Waiting for routing to be established", "JetStream has not established contact with a meta leader",
	"JetStream is not current with the meta leader", "Error trying to connect to route"}

// afterKill are parts of lines about an index that a killed server had not written: it reads the records again.
var afterKill = []string{"] Stream state outdated, ", "] Recovering stream state from index errored: prior state file", "] TTL state is outdated; "}

// levelOf returns the level of a line of the embedded server: a warning is worth an operator's attention.
func levelOf(level slog.Level, text string, age time.Duration) slog.Level {
	starts := func(with string) bool { return strings.HasPrefix(text, with) }
	has := func(part string) bool { return strings.Contains(text, part) }
	switch {
	case has("TLS Handshake First"): // every client of the cluster uses it
		return slog.LevelDebug
	case age < settles && slices.ContainsFunc(untilSettled, starts), slices.ContainsFunc(afterKill, has):
		return slog.LevelInfo
	case starts("Error trying to connect to route"): // the server itself works
		return slog.LevelWarn
	}
	return level
}

// failed returns why the server cannot run, "" if it can.
func (l *serverLog) failed() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.bad
}

// Most notices are about the server's own life.
func (l *serverLog) Noticef(format string, v ...any) { l.line(slog.LevelDebug, format, v) }
func (l *serverLog) Warnf(format string, v ...any)   { l.line(slog.LevelWarn, format, v) }
func (l *serverLog) Errorf(format string, v ...any)  { l.line(slog.LevelError, format, v) }

func (l *serverLog) Fatalf(format string, v ...any) {
	l.mu.Lock()
	if l.bad == "" {
		l.bad = fmt.Sprintf(format, v...)
	}
	l.mu.Unlock()
	l.line(slog.LevelError, format, v)
}

func (l *serverLog) Debugf(string, ...any) {}
func (l *serverLog) Tracef(string, ...any) {}
