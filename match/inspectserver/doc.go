// Package inspectserver answers admins who look into a match, live or past, at any tick.
//
//	GET /admin/api/inspect/{match}/... ──► fog right, audit (caller's) ──► Service
//	                                                                        │ opens, keeps for a while
//	journal (journal.Follower) ──► replay.Recording ──► cursors ──► match/inspect ──► JSON, SSE
//	match service (Live) ──► what clients of a live match really have ──► JSON
//
// [Service.Register] adds the endpoints to the admins' API, so that they are in its
// OpenAPI document.
//
// A match that is asked about is opened: its journal is read, and one goroutine plays it
// once from its start, which makes checkpoints, the history of what teams saw, and the
// numbers of the orders. Requests go to their tick by cursors of their own. What
// nobody has asked about for a minute is closed. How many matches are open at once, how
// much memory each takes, how long a request may work and how many rows an answer has is
// bounded. Playing is done by one goroutine at a time a match and by few in all, and
// stands aside while live matches need the processor.
//
// A live match is read up to what is durable of its journal. Nothing runs on its
// goroutine, but for [Live], which is cheap.
//
// Nothing here is for players. The endpoints are on the admin listener alone, behind the
// right to look through the fog, and every look leaves a row in the audit.
package inspectserver
