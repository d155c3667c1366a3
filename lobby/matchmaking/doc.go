// Package matchmaking decides who of those who wait in a queue play each other,
// and what a result says of how well they play.
//
//	entries (who waits since when, how good) ──► Rules.Pair(now) ──► matches
//	teams as they were rated, who won        ──► Rater.Rate      ──► ratings after it
//
// Package lobby calls it: it keeps queues, parties, offers and ratings in the
// database, asks for pairs each second, and rates with the result of a match.
//
// The package is pure. It opens nothing, starts nothing and reads no clock: the
// time is passed in. The same entries give the same matches, in whatever order
// they are given.
//
// What [Rules.Pair] promises, and its tests hold against a version that tries
// every combination:
//
//   - No entry is in two matches. The members of a party are in one team. Each
//     team of a match has exactly as many players as the rules say.
//   - Entries are served by age. The oldest is in a match if there is one for it
//     among all who wait; the next oldest if there is one among those who are left.
//   - Each other entry of a match differs from the one that the match was made for
//     by at most the mean of the two widths. A width grows with the time waited.
//   - Of the ways to deal the entries of a match into two teams, it takes the one
//     with the least difference of the teams' ratings.
//
// Ratings are floating point: they never come near the state of a match.
package matchmaking
