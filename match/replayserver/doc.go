// Package replayserver shows matches that are played again to people: over the same
// protocol as a match, at the tick, pace and eyes that they ask for.
//
//	websocket ──Hello, ReplayControl──► viewing ──Approach, Step──► cursor of a recording
//	websocket ◄──frames, ReplayStatus──    │                              │ shared by all
//	  (two at most)                     one goroutine              index: checkpoints, timeline
//
// A viewing has one cursor and up to two sockets, which show the same ticks, each with
// eyes of its own. Its one goroutine owns all of it. Frames come from match/feed: whoever
// is shown a tick with some eyes is sent what a spectator with those eyes may know at
// that tick, and a snapshot after each jump. A viewing goes no faster than its clients
// take frames.
//
// Package playback opens the matches, shares them, and has the slots in which a viewing
// steps its world. While live matches need the processor a viewing waits, and says so.
//
// A match that is over shows everything to those who may watch it. Of one that runs, a
// viewing ([Right.Live]) reaches up to the spectators' delay, with the eyes of its right
// alone ([playback.Recording.Until]). It sends what the match socket sends to the same eyes:
// frames at the same beats, a timeline of what these frames tell, and no cameras or
// production.
//
// Rights are the caller's: [Admitter] turns tickets into rights, and [Service.End] ends
// viewings whose right has ended. What is opened is bounded before it is read: viewings
// by the ledger, memory by the library.
package replayserver
