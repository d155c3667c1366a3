// Package shared has the plain types that the match service and the lobby hand to each other: a right to watch, the place
// of a match, the state of a cluster, the refusal of an HTTP request.
//
//	lobby ──► shared ◄── match, match/replayserver, match/cluster
//
// match and lobby do not import each other, and cmd/fogkeep/server joins them. Both import this package, so that no value is
// copied from one type into another on the way. It decides for neither side, and imports match/grid alone.
package shared
