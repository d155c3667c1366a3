// Package telemetry makes the server's logs and metrics: a structured logger,
// and a private registry of metrics with its HTTP handler. It knows the program's version.
//
//	packages ──► slog.Logger ──► stderr (text on a terminal, JSON elsewhere)
//	packages ──► prometheus.Registerer ──► Handler() ──► metrics listener
//
// Any goroutine may use its results. No label holds a player, an account or a match. So the number of series stays
// small, and no metric reveals what the fog hides. Prometheus fetches the metrics from the listener.
package telemetry
