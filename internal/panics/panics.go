package panics

import (
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/prometheus/client_golang/prometheus"
)

// Caught counts panics that were caught, by where: a fixed word for each
// [Catch] in the code.
var Caught = prometheus.NewCounterVec(prometheus.CounterOpts{
	Namespace: "fogkeep", Name: "panics_total", Help: "Panics that ended one goroutine's work and not the process, by where; the log has the stack.",
}, []string{"where"})

// Catch is deferred at the root of a goroutine. It logs a panic with its stack,
// counts it and calls then, which ends what the goroutine worked on; then may
// be nil. The panic's text goes to the log and nowhere else.
func Catch(log *slog.Logger, where string, then func()) {
	value := recover()
	if value == nil {
		return
	}
	Caught.WithLabelValues(where).Inc()
	log.Error("panic", "where", where, "panic", fmt.Sprint(value), "stack", string(debug.Stack()))
	if then != nil {
		then()
	}
}

// AsError returns f with its panics turned into errors: the process then
// stops in order, and the journals of its matches are complete.
func AsError(log *slog.Logger, where string, f func() error) func() error {
	return func() (err error) {
		defer Catch(log, where, func() { err = fmt.Errorf("%s: internal error", where) })
		return f()
	}
}
