// Package playback opens the journals of matches, running or over, for everybody who
// looks at them again: viewers of replays, the inspector, matches that play another one
// on.
//
//	Library ──Open(match)──► Recording ──Cursor──► Cursor: a world of its own, Seek, Step
//	   │                        │ shared by all who look at the match
//	   │                     journal, checkpoints, timeline, notes
//	   │                        ▲
//	   └── slots ────────► pass: one goroutine plays the match once, and follows a running one
//
// The first Open of a match reads its journal; the last Close drops it. A Recording has
// a [replay.Recording], whose checkpoints and timeline each of its cursors uses and makes.
// [Recording.Index] begins the pass, so that every later seek plays five seconds at most.
// [Recording.Follow] hands each tick of the pass to a function.
//
// How far a match may be shown is a limit: [Recording.Last] of a finished one, and [Recording.Until] of a running
// one, the durable tick minus a delay. The limit rises with the hashes that the journal has each second, so the
// time of an order shows nowhere.
//
// Live matches go first. Worlds are stepped only in one of a few slots, half of the
// processor at most, a few milliseconds at a time, and not at all while [Config.Busy] says
// that live matches are late. A match that an admin has open goes on slowly then: it is
// needed just when a server is late. This package never runs on the goroutine of a match.
//
// All that is open has one bound of memory, [quota.ReplayBytes], and is refused with
// [ErrFull] beyond it. Recordings for admins ([Config] of package inspectserver) and for late
// spectators count, and are not refused: a ledger bounds how many admins have open, and a
// running match is opened once for its spectators.
//
// A recording shows everything. The caller decides on permissions to see its parts.
package playback
