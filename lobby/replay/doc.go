// Package replay decides which accounts may watch a match: a finished one, or as a
// spectator a running one. lobby/api, room, studio and match/replayserver ask it.
//
//	room, studio, API --Replay, MayWatch--> the right, or the refusal
//	match/replayserver --RedeemReplay, ResumeReplay--> a ticket turned into the right
//	janitor --EnforceReplays, Redact--> viewings end, deleted accounts leave journals
//
// It never shows a match: [Replays] does.
package replay
