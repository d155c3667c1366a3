package natsnode

import (
	"context"
	"fmt"
	"log/slog"
	"sync"

	"golang.org/x/time/rate"
)

// serverLog hands the lines of an embedded server to the process's logger. Strangers' connections make lines, so they
// are bounded; the next line has the count of dropped ones.
type serverLog struct {
	log   *slog.Logger
	lines *rate.Limiter

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
	l.log.Log(context.Background(), level, text)
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
