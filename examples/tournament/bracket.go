package main

import (
	"fmt"
	"slices"
)

// The bounds of a tournament.
const (
	playersLeast = 4
	playersMost  = 64
)

// Bracket is a tournament by elimination. Its first players are the best seeds: they meet late, and have the byes.
type Bracket struct {
	Matches []*Match // each after the matches before it
	final   *Match
	reset   *Match // of a double elimination: the second final, if the first is the champion's first defeat; nil: single
}

// Match is a match between two players of the tournament, or a bye.
type Match struct {
	Name  string // W2.1 is the first of the second round of winners, L2.1 of losers
	sides [2]source
	won   int // the side that has won; -1: neither yet

	over          bool // winner and loser are known
	winner, loser int
}

// source is where a player of a match comes from: a seed, or an earlier match.
type source struct {
	seed  int // the player's number; noPlayer: a bye
	from  *Match
	loser bool
}

const noPlayer = -1

// NewBracket makes the bracket for a number of players.
func NewBracket(players int, double bool) (*Bracket, error) {
	if players < playersLeast || players > playersMost {
		return nil, fmt.Errorf("a tournament has %d to %d players, not %d", playersLeast, playersMost, players)
	}
	b := &Bracket{}
	size := 1
	for size < players {
		size *= 2
	}
	var round []source
	for _, s := range order(size) {
		if s >= players {
			s = noPlayer
		}
		round = append(round, source{seed: s})
	}
	var dropped [][]source // the losers of each round of winners
	for n := 1; len(round) > 1; n++ {
		matches := b.pair(fmt.Sprint("W", n), round)
		round = winners(matches)
		losers := winners(matches)
		for i := range losers {
			losers[i].loser = true
		}
		dropped = append(dropped, losers)
	}
	b.final = b.Matches[len(b.Matches)-1]
	if !double {
		return b, nil
	}
	lower, n := winners(b.pair("L1", dropped[0])), 1
	for i, losers := range dropped[1:] {
		if i%2 == 0 {
			slices.Reverse(losers) // players who have met are far from each other
		}
		var next []source
		for k := range losers {
			next = append(next, lower[k], losers[k])
		}
		n++
		if lower = winners(b.pair(fmt.Sprint("L", n), next)); len(lower) > 1 {
			n++
			lower = winners(b.pair(fmt.Sprint("L", n), lower))
		}
	}
	b.final = b.add("Final", round[0], lower[0])
	b.reset = b.add("Second final", source{from: b.final}, source{from: b.final, loser: true})
	return b, nil
}

// order lists the seeds of a full bracket from top to bottom: the best two meet in the last round.
func order(size int) []int {
	out := []int{0}
	for n := 2; n <= size; n *= 2 {
		var next []int
		for _, s := range out {
			next = append(next, s, n-1-s)
		}
		out = next
	}
	return out
}

func (b *Bracket) add(name string, one, other source) *Match {
	m := &Match{Name: name, sides: [2]source{one, other}, won: -1}
	b.Matches = append(b.Matches, m)
	return m
}

// pair makes matches of neighbours.
func (b *Bracket) pair(round string, of []source) (out []*Match) {
	for i := 0; i < len(of); i += 2 {
		out = append(out, b.add(fmt.Sprintf("%s.%d", round, i/2+1), of[i], of[i+1]))
	}
	return out
}

func winners(of []*Match) (out []source) {
	for _, m := range of {
		out = append(out, source{from: m})
	}
	return out
}

// player returns the player who comes from a source; unknown before the match there is over.
func (s source) player() (player int, known bool) {
	if s.from == nil {
		return s.seed, true
	}
	winner, loser, known := s.from.result()
	if s.loser {
		return loser, known
	}
	return winner, known
}

// Players returns the two players; unknown before the matches that they come from are over.
func (m *Match) Players() (players [2]int, known bool) {
	var has [2]bool
	for i, s := range m.sides {
		players[i], has[i] = s.player()
	}
	return players, has[0] && has[1]
}

// result returns the winner and the loser of a match that is over. A bye is over at once.
func (m *Match) result() (winner, loser int, over bool) {
	if m.over {
		return m.winner, m.loser, true
	}
	p, known := m.Players()
	switch {
	case known && (p[0] == noPlayer || p[1] == noPlayer):
		m.winner, m.loser, m.over = max(p[0], p[1]), noPlayer, true
	case known && m.won >= 0:
		m.winner, m.loser, m.over = p[m.won], p[1-m.won], true
	default:
		return noPlayer, noPlayer, false
	}
	return m.winner, m.loser, true
}

// Ready lists the matches that can be played now.
func (b *Bracket) Ready() (out []*Match) {
	for _, m := range b.Matches {
		if _, known := m.Players(); !known || m == b.reset && b.final.won == 0 {
			continue
		}
		if _, _, over := m.result(); !over {
			out = append(out, m)
		}
	}
	return out
}

// Report notes the side that has won a match.
func (b *Bracket) Report(m *Match, side int) error {
	if side < 0 || side > 1 || !slices.Contains(b.Ready(), m) {
		return fmt.Errorf("%s has no result now", m.Name)
	}
	m.won = side
	return nil
}

// Champion returns the winner of the tournament; false while it runs.
func (b *Bracket) Champion() (int, bool) {
	last := b.final
	if b.reset != nil && b.final.won == 1 {
		last = b.reset
	}
	player, _, over := last.result()
	return player, over
}
