// Package journal keeps the setup of a match and every input with its answer, in
// order, so that the match can be played again to the same state.
//
//	match loop ──Append(n, record)──► Log ──group commit──► one file a match
//	match loop ◄──Synced()───────────  │
//	summary, replay, recovery ◄──Walk──┘          and one saved state beside it
//
// Append never waits for the disk. It hands the record to the file's writer. The writer writes the records that have
// gathered, and syncs once for all. A record that Synced covers survives a kill at any moment. An answer leaves the
// server only after its record is covered. One goroutine appends; any goroutine may call Synced, Wait and Read.
//
// [Store] and [Log] are narrow interfaces, so that journals can lie elsewhere than in a
// local folder ([Dir]). They never look inside a record. records.go and tick.go describe the records.
// [Walk] reads a journal once: it decodes the records and sums them up. [Replay] is a
// Walk that plays the match and compares every answer and hash.
//
// A match may begin from a state: of another match, which it plays on, or of a scenario.
// The journal then holds that state itself, in parts behind map and rules ([StartOf]). So
// it needs no other journal, and its first tick is the state's ([Header.First]).
//
// A match that is stopped on purpose ends its journal with a [Stop], and goes on after exactly that tick. A journal
// without a Stop belongs to a killed match, whose last tick follows from its hashes.
//
// A [State] saves a replay from playing the match from its start. The journal alone decides: a state counts only if the
// journal has its hash and goes on from it. The journal's file is enough to play its match again, on any machine, with
// the build that wrote it.
package journal
