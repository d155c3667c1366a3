// Command fogkeep is the one binary: it serves matches and lobbies, migrates
// the store, plays as a bot, reads maps, replays journals and measures.
//
//	flags, environment ──► config ──► one command ──► the packages that it joins
//
// It holds no logic of the domain. A command reads its configuration, calls
// other packages, and reports what went wrong in one line.
//
// `serve` joins match and lobby, which do not import each other. Each declares
// the interfaces that it needs. The adapters here implement them: matchAdapter
// shows the match service to the lobby, admissionAdapter shows the lobby to the
// match service, and inspectAdapter shows the match service to the debug page.
package main
