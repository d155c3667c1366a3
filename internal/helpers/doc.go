// Package helpers lets a goroutine share work with a bounded number of others.
//
//	match A ── f(0) … f(7) ──► Hand.Run ──► f(0), f(2), f(3) … by A itself
//	                              │
//	                              └── if one is idle ──► helper: f(1), f(4) …
//	match B ── f(0) … f(7) ──► Hand.Run ──► f(0) … f(7) by B itself, if all are busy
//
// A [Pool] has the helpers of a process. Its size bounds the goroutines that work beside the callers. A caller never
// waits for a busy helper: it does the remaining work. So one match alone uses all processors, and many
// matches use theirs without getting into each other's way.
//
// A panic in a helper is raised again in the calling goroutine, when all calls have returned. Pools are for any
// goroutine; a [Hand] belongs to one. The steady state does not allocate.
package helpers
