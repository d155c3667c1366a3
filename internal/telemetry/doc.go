// Package telemetry is the server's own account of itself: structured logs
// and a private metrics registry with its HTTP handler.
//
//	rooms ──► slog.Logger ──► stderr (text on a terminal, JSON elsewhere)
//	rooms ──► prometheus.Registerer ──► Handler() ──► metrics listener
//
// Any goroutine may use what it returns. No label ever holds a player, an
// account or a match: the number of series stays small, and a metric must not
// tell what fog hides. Nothing is sent anywhere; the listener is asked.
package telemetry
