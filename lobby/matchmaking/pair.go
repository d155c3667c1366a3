package matchmaking

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// TeamSizeMax bounds the players of a team.
const TeamSizeMax = 4

// Rules are the rules of one queue.
type Rules struct {
	TeamSize int // players of each of the two teams, 1 to [TeamSizeMax]
	Width    Width
	// BotAfter is the wait of an entry until bots take the places without players; 0:
	// never.
	BotAfter time.Duration
}

// Width says how far the ratings of two entries may be apart, by the time that
// one has waited.
type Width struct {
	Start     float64 `json:"start" doc:"rating points, at first"`
	PerSecond float64 `json:"perSecond" doc:"added per second of waiting"`
	Most      float64 `json:"most,omitempty" doc:"the largest value; absent: unlimited"`
}

// DefaultWidth is the width of a queue without a setting of its own.
func DefaultWidth() Width { return Width{Start: 100, PerSecond: 10} }

// After returns the width of an entry that has waited for so long.
func (w Width) After(waited time.Duration) float64 {
	out := w.Start + w.PerSecond*max(0, waited.Seconds())
	if w.Most > 0 {
		out = min(out, w.Most)
	}
	return out
}

// Entry is a party that waits, of one member or more.
type Entry struct {
	ID      string // unique among the entries; it decides between entries of the same age
	Members []Rating
	Since   time.Time
	Avoids  []string // ids of entries with which it does not want to be in a match
}

// AvoidFor is how long an entry waits for a match without an entry that it avoids. Then it takes any match: avoiding
// accounts never ends a search.
const AvoidFor = time.Minute

func (e *Entry) sum() float64 {
	sum := 0.0
	for _, m := range e.Members {
		sum += m.Mean
	}
	return sum
}

// older orders entries by age, the oldest first.
func older(a, b *Entry) int {
	return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.ID, b.ID))
}

// Match has the entries that play each other.
type Match struct {
	Teams [2][]string // ids of entries
	Bots  [2]int      // places of each team that bots take
}

// waiter is an entry at the time of a look.
type waiter struct {
	*Entry
	mean, width float64
	patient     bool // it still waits for a match without the entries that it avoids
}

// shuns reports whether one of two entries avoids the other and is patient.
func (w *waiter) shuns(other *waiter) bool {
	return w.patient && slices.Contains(w.Avoids, other.ID) || other.patient && slices.Contains(other.Avoids, w.ID)
}

// apart is how far the ratings of two are from each other.
func (w *waiter) apart(from *waiter) float64 { return math.Abs(w.mean - from.mean) }

// agrees reports whether two may be in one match: neither avoids the other, and they differ by at most the mean of
// their widths. So a player without an equal finds a match in a busy queue as well as
// in a quiet one, and a newcomer does not play against all ratings.
func (w *waiter) agrees(with *waiter) bool {
	return !w.shuns(with) && w.apart(with) <= (w.width+with.width)/2
}

// Pair returns the matches that are to be made now. Entries with no member, or
// more than a team holds, are left out.
func (r *Rules) Pair(now time.Time, entries []Entry) []Match {
	var waiting []*waiter
	for i := range entries {
		e := &entries[i]
		if n := len(e.Members); n > 0 && n <= r.TeamSize {
			waited := now.Sub(e.Since)
			waiting = append(waiting, &waiter{e, e.sum() / float64(n), r.Width.After(waited), waited < AvoidFor})
		}
	}
	slices.SortFunc(waiting, func(a, b *waiter) int { return older(a.Entry, b.Entry) })
	var out []Match
	for _, withBots := range []bool{false, true} {
		for i := 0; i < len(waiting); {
			first := waiting[i]
			if withBots && (r.BotAfter <= 0 || now.Sub(first.Since) < r.BotAfter) {
				break // those behind have waited less
			}
			set := r.complete(first, waiting, withBots)
			if set == nil {
				i++
				continue
			}
			out = append(out, r.deal(set))
			for _, w := range set { // a match may have entries that could not begin one
				if older(w.Entry, first.Entry) < 0 {
					i--
				}
			}
			waiting = slices.DeleteFunc(waiting, func(w *waiter) bool { return slices.Contains(set, w) })
		}
	}
	return out
}

// complete returns the entries of the match for first: of all sets that agree with it
// and fill both teams, the first in the order of the dictionary, where the nearest by
// rating is the first letter, and of equal ones the oldest. With bots it takes each
// entry for which there is room. It passes over entries that the set shuns. It returns nil if it cannot fill the teams:
// first waits for the next look.
func (r *Rules) complete(first *waiter, waiting []*waiter, withBots bool) []*waiter {
	var must, may sizes // of the entries in the set, and of the entries that can still come
	must[len(first.Members)]++
	for _, w := range waiting {
		if w != first && w.agrees(first) {
			may[len(w.Members)]++
		}
	}
	if withBots {
		may = sizes{1: 2 * r.TeamSize}
	}
	if !r.fillable(must, may) {
		return nil // most who wait end here
	}
	var candidates []*waiter
	for _, w := range waiting {
		if w != first && w.agrees(first) {
			candidates = append(candidates, w)
		}
	}
	slices.SortStableFunc(candidates, func(a, b *waiter) int { return cmp.Compare(a.apart(first), b.apart(first)) })
	set := []*waiter{first}
	for _, c := range candidates {
		n := len(c.Members)
		if !withBots {
			may[n]--
		}
		if slices.ContainsFunc(set, c.shuns) {
			if !r.fillable(must, may) {
				return nil
			}
			continue
		}
		must[n]++
		if r.fillable(must, may) {
			set = append(set, c)
		} else {
			must[n]--
		}
	}
	return set
}

// sizes counts entries by their number of members.
type sizes [TeamSizeMax + 1]int

// parts lists the ways to fill a team of a size with entries.
var parts = func() (out [TeamSizeMax + 1][]sizes) {
	var fill func(total, left, largest int, s sizes)
	fill = func(total, left, largest int, s sizes) {
		if left == 0 {
			out[total] = append(out[total], s)
			return
		}
		for n := min(left, largest); n >= 1; n-- {
			s[n]++
			fill(total, left-n, n, s)
			s[n]--
		}
	}
	for total := range out {
		fill(total, total, total, sizes{})
	}
	return out
}()

// fillable reports whether both teams can be filled with all of must and some of may.
func (r *Rules) fillable(must, may sizes) bool {
	for _, a := range parts[r.TeamSize] {
	second:
		for _, b := range parts[r.TeamSize] {
			for n := range must {
				if used := a[n] + b[n]; used < must[n] || used > must[n]+may[n] {
					continue second
				}
			}
			return true
		}
	}
	return false
}

// deal makes two teams of a set that fits into two: the teams whose summed ratings
// differ least. A place without a player counts as a new player's.
func (r *Rules) deal(set []*waiter) Match {
	best, least := 0, math.Inf(1)
	for mask := range 1 << (len(set) - 1) { // the first entry is in team 0
		var sum [2]float64
		var n [2]int
		for i, e := range set {
			t := mask << 1 >> i & 1
			sum[t] += e.sum()
			n[t] += len(e.Members)
		}
		if n[0] > r.TeamSize || n[1] > r.TeamSize {
			continue
		}
		for t := range sum {
			sum[t] += float64(r.TeamSize-n[t]) * NewRating().Mean
		}
		if d := math.Abs(sum[0] - sum[1]); d < least {
			best, least = mask, d
		}
	}
	m := Match{Bots: [2]int{r.TeamSize, r.TeamSize}}
	for i, e := range set {
		t := best << 1 >> i & 1
		m.Teams[t] = append(m.Teams[t], e.ID)
		m.Bots[t] -= len(e.Members)
	}
	return m
}
