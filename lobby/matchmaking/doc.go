// Package matchmaking makes matches from the waiting players of a queue, and computes
// ratings from results.
//
//	entries (player, start, rating)   ──► Rules.Pair(now) ──► matches
//	teams as they were rated, who won ──► Rater.Rate       ──► ratings after it
//
// Package queue calls it: it keeps queues, parties, offers and ratings in the database,
// asks for pairs once per second, and rates with the result of a match.
//
// The package is pure. It never does I/O, starts a goroutine or reads a clock: the
// caller passes the time. The same entries give the same matches, in any order of the
// entries.
//
// [Rules.Pair] keeps these rules, and its tests compare it with a version that tries
// every combination:
//
//   - No entry is in two matches. The members of a party are in one team. Each
//     team of a match has exactly as many players as the rules say.
//   - Entries are served by age. The oldest is in a match if all entries allow
//     one; the next oldest if the remaining entries allow one.
//   - Each other entry of a match differs from the entry that the match was made
//     for by at most the mean of the two widths. A width grows with the time waited.
//   - Of the ways to deal the entries of a match into two teams, it takes the one
//     with the least difference of the teams' ratings.
//
// Ratings are floating point: they never come near the state of a match.
package matchmaking
