// Package poll is a vote of players: its voters, their votes, and its result.
//
//	question, voters, quorum ──► Poll ◄── votes
//	                              │
//	                              ▼
//	                   open, passed or failed
//
// A match asks its players for another speed, a pause, a remake, the surrender of a team, or the removal of a team-mate, and
// keeps one [Poll] for each open question. A lobby asks its players for a removal, other settings, or the start. The caller decides about questions, voters and consequences. A seat has one vote,
// which its player can change while the poll is open; in a lobby a seat is the number of a voter.
//
// The package is pure: the caller gives the time. A poll has a fixed size, since slots are bits.
package poll
