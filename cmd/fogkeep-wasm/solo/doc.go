// Package solo plays matches of one person against bots in one process.
//
//	page ──► Transport ──► match.Service ──► journal.Dir ──► files
//	                        ▲                     │
//	         bot.Play ──► Pipe                    ▼
//	page ◄── Transport ◄── replayserver.Service (once the match is over)
//	page ◄── answers ◄──── inspectserver.Service
//
// It has the parts of a server that a single player needs: the match service, the bots, the replays, the inspector, the
// shipped maps and the shipped ruleset. The person and the bots connect as they do to a server, with a ticket each, and get the same frames.
// So a page learns no more from a match inside it than from a match on a server. The inspector shows all
// to its person, who is the admin of that match: nobody else plays it.
//
// It has no lobby, no accounts and no limits of accounts: its one client is the page that started it. It runs one match
// at a time: [Server.Start] ends the match before. A match whose process ends, or whose person leaves it, goes on with
// [Server.Continue]. Past matches stay in the folder, within bounds.
package solo
