// Package replay plays the journal of a match to any of its ticks.
//
//	journal ──Read──► Recording: records, timeline, checkpoints (saved states, packed,
//	                    │        one each five seconds of match time)
//	                  Cursor (one for each who watches)
//	                    ▼
//	                  Replay ──Seek(t), Step──► world at t ──► Picture(eyes), Outcome
//
// [Read] reads a journal and checks its setup. All viewers of the match share the [Recording], and any goroutine may
// call it. For a live match it holds the journal so far: [Recording.Refresh] reads the later durable records.
//
// A [Replay] is a cursor on it, with a world of its own and one owner. [Replay.Seek] goes to a tick: it restores the
// newest checkpoint before it and plays on from there. The first replay of a part of the match makes its checkpoints.
// [Replay.Index] makes all the points, so that every later seek plays five seconds at most. Checkpoints have a bound in
// bytes: at the bound, every second one is dropped, and from then on they lie twice as far apart. [Recording.Drop]
// frees them when the last viewer has left.
//
// The first replay of the match makes its timeline: events, and each player's values second by second
// ([Recording.Timeline], package timeline).
//
// Each tick that is played is compared with its record: every answer and every state
// hash. A journal that this build plays differently is a [journal.DivergedError], which
// names the tick.
//
// A replay shows everything: hidden units, all teams' knowledge. The caller decides its viewers, and no data of a live
// match may reach a player through here.
//
// The package opens no file, reads no clock and starts no goroutine.
package replay
