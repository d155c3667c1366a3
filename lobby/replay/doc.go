// Package replay decides who may watch a match: one that is over, or as a spectator one
// that runs.
//
//	room, studio, API --Replay, MayWatch--> the right, or why there is none
//	match/replayserver --RedeemReplay, ResumeReplay--> a ticket turned into the right
//	janitor --EnforceReplays, Redact--> viewings end, deleted accounts leave journals
//
// It shows nothing itself: [Replays] does.
package replay
