// Package replay plays the journal of a match to any of its ticks.
//
//	journal ──Read──► Recording: records, timeline, checkpoints (saved states, packed,
//	                    │        one each five seconds of match time)
//	                  Cursor (one for each who watches)
//	                    ▼
//	                  Replay ──Seek(t), Step──► world at t ──► Picture(eyes), Outcome
//
// [Read] reads a journal and checks its setup. The [Recording] is shared by all who
// watch the match, and any goroutine may call it. Of a match that is not over it holds
// what the journal had: [Recording.Refresh] reads what has become durable since.
//
// A [Replay] is a cursor on it, with a world of its own and one owner. [Replay.Seek]
// goes to a tick: it restores the newest checkpoint before it and plays on from there.
// Whoever plays a part of the match first makes its checkpoints. [Replay.Index] makes
// all of them, so that every later seek plays five seconds at most. Checkpoints have a
// bound in bytes: when it is reached, every second one is dropped, and from then on they
// lie twice as far apart. [Recording.Drop] gives them back when nobody watches.
//
// While the match is played for the first time its timeline is made: what happened, and
// each player's values second by second ([Recording.Timeline], package timeline).
//
// Each tick that is played is compared with its record: every answer and every state
// hash. A journal that this build plays differently is a [journal.DivergedError], which
// names the tick.
//
// A replay shows everything: hidden units, all teams' knowledge. Who may see it is for
// the caller to decide, and nothing of a live match may come through here to a player.
//
// The package opens no file, reads no clock and starts no goroutine.
package replay
