// Package spec has the plain types of a match that packages hand to each other: the
// description of a match before it runs, and its rows while it runs. The service that
// runs matches, the lobby, replays, bots and benches share them, so nothing is copied
// from one shape into another.
//
//	lobby, benches ──► Match ──► match.Service
//	                     ├──► Welcome ──► clients (live, replays, headless bots)
//	                     └──► Extra ──► journal ──► Setting
//
// In: maps, rules, and a world for the welcome. Out: plain values. The package starts no
// goroutine, keeps no state and does no I/O.
//
// A seat's slot is its index in [Match.Seats]; its start is an index into the map's
// start points. The two are different numbers: a lobby with a free start point leaves a
// gap in the starts and none in the slots.
package spec
