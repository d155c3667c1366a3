// Package replayserver shows matches that are played again to people: over the same
// protocol as a match, at the tick, pace and eyes that they ask for.
//
//	websocket ──Hello, ReplayControl──► viewing ──Approach, Step──► cursor of a recording
//	websocket ◄──frames, ReplayStatus──    │                              │ shared by all
//	  (two at most)                     one goroutine              index: checkpoints, timeline
//
// A viewing has one cursor and up to two sockets, which show the same ticks, each with
// eyes of its own. Its one goroutine owns the whole viewing. Frames come from match/feed: at a tick, a client with
// some eyes is sent the frame of a spectator with these eyes, and a snapshot after each jump. A viewing goes no
// faster than its clients take frames.
//
// Package playback opens the matches, shares them, and has the slots in which a viewing
// steps its world. While live matches need the processor a viewing waits, and says so.
//
// A finished match shows everything to its permitted viewers. Of a running one, a viewing ([Right.Live]) reaches up
// to the spectators' delay, with the eyes of its right alone ([playback.Recording.Until]). It sends the same as the
// match socket to the same eyes: frames at the same beats, a timeline with the content of these frames, and no
// cameras or production.
//
// Rights are the caller's: [Admitter] turns tickets into rights, and [Service.End] ends
// viewings whose right has ended. Journals are bounded before they are read: viewings
// by the ledger, memory by the library.
package replayserver
