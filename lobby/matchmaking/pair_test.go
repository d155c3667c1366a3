package matchmaking

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var noon = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

// players makes an entry that has waited for so long.
func players(id string, waited time.Duration, means ...float64) Entry {
	e := Entry{ID: id, Since: noon.Add(-waited)}
	for _, m := range means {
		e.Members = append(e.Members, Rating{m, 100})
	}
	return e
}

// The obvious version: it lists every set of entries.

func obviousMean(e Entry) float64 {
	sum := 0.0
	for _, m := range e.Members {
		sum += m.Mean
	}
	return sum / float64(len(e.Members))
}

func obviousWidth(r Rules, e Entry) float64 {
	w := r.Width.Start + r.Width.PerSecond*noon.Sub(e.Since).Seconds()
	if r.Width.Most > 0 && w > r.Width.Most {
		w = r.Width.Most
	}
	return w
}

func obviousAgrees(r Rules, a, b Entry) bool {
	return math.Abs(obviousMean(a)-obviousMean(b)) <= (obviousWidth(r, a)+obviousWidth(r, b))/2
}

// splits lists the ways to deal a set into two full teams: the team of each.
func splits(r Rules, set []Entry) (out [][]int) {
	for n := range 1 << len(set) {
		var size [2]int
		var teams []int
		for i, e := range set {
			t := n >> i & 1
			teams = append(teams, t)
			size[t] += len(e.Members)
		}
		if size[0] == r.TeamSize && size[1] == r.TeamSize {
			out = append(out, teams)
		}
	}
	return out
}

// obviousSets lists the sets in which the first entry could play now, as numbers
// of candidates, the best first.
func obviousSets(r Rules, first Entry, others []Entry) (candidates []Entry, sets [][]int) {
	for _, e := range others {
		if e.ID != first.ID && obviousAgrees(r, first, e) {
			candidates = append(candidates, e)
		}
	}
	slices.SortFunc(candidates, func(a, b Entry) int {
		far := func(e Entry) float64 { return math.Abs(obviousMean(e) - obviousMean(first)) }
		return cmp.Or(cmp.Compare(far(a), far(b)), a.Since.Compare(b.Since), cmp.Compare(a.ID, b.ID))
	})
	for n := range 1 << len(candidates) {
		set, which := []Entry{first}, []int{}
		for i, e := range candidates {
			if n>>i&1 == 1 {
				set, which = append(set, e), append(which, i)
			}
		}
		if len(splits(r, set)) > 0 {
			sets = append(sets, which)
		}
	}
	slices.SortFunc(sets, slices.Compare)
	return candidates, sets
}

func obviousPair(r Rules, entries []Entry) (out [][]string) {
	left := slices.Clone(entries)
	slices.SortFunc(left, func(a, b Entry) int { return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.ID, b.ID)) })
	for i := 0; i < len(left); {
		candidates, sets := obviousSets(r, left[i], left)
		if len(sets) == 0 {
			i++
			continue
		}
		set := []string{left[i].ID}
		for _, n := range sets[0] {
			set = append(set, candidates[n].ID)
		}
		out = append(out, set)
		left = slices.DeleteFunc(left, func(e Entry) bool { return slices.Contains(set, e.ID) })
		i = 0
	}
	return out
}

func drawQueue(t *rapid.T) (Rules, []Entry) {
	r := Rules{
		TeamSize: rapid.IntRange(1, TeamSizeMax).Draw(t, "team size"),
		Width:    Width{Start: rapid.SampledFrom([]float64{0, 100, 400, 2000}).Draw(t, "start"), PerSecond: rapid.Float64Range(0, 20).Draw(t, "per second"), Most: rapid.SampledFrom([]float64{0, 300, 2000}).Draw(t, "most")},
	}
	var entries []Entry
	for i := range rapid.SampledFrom([]int{0, 1, 2, 5, 7, 8, 9}).Draw(t, "entries") {
		e := Entry{ID: fmt.Sprint("e", i), Since: noon.Add(-time.Duration(rapid.IntRange(0, 90).Draw(t, "waited")) * time.Second)}
		// Mostly alone, so that teams can be dealt in several ways.
		for range min(r.TeamSize, rapid.SampledFrom([]int{1, 1, 1, 2, 3}).Draw(t, "members")) {
			// Few values, so that some are equal.
			e.Members = append(e.Members, Rating{float64(rapid.SampledFrom([]int{9, 12, 14, 15, 16, 17, 21}).Draw(t, "rating")) * 100, 100})
		}
		entries = append(entries, e)
	}
	return r, entries
}

// TestAvoidingEntriesAreApart: a patient entry is in no match with one that it avoids. Two entries alone wait out the
// minute.
func TestAvoidingEntriesAreApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, entries := drawQueue(t)
		byID := map[string]*Entry{}
		for i := range entries {
			e := &entries[i]
			byID[e.ID] = e
			for _, other := range entries {
				if other.ID != e.ID && rapid.IntRange(0, 4).Draw(t, "avoids") == 0 {
					e.Avoids = append(e.Avoids, other.ID)
				}
			}
		}
		for _, m := range r.Pair(noon, entries) {
			ids := slices.Concat(m.Teams[0], m.Teams[1])
			for _, id := range ids {
				e := byID[id]
				for _, other := range ids {
					if noon.Sub(e.Since) < AvoidFor && slices.Contains(e.Avoids, other) {
						t.Fatalf("%s avoids %s in %v", id, other, m)
					}
				}
			}
			if n := len(ids); m.Bots == [2]int{} && n < 2 {
				t.Fatalf("a match of %d entries", n)
			}
		}
	})
	r := Rules{TeamSize: 1, Width: DefaultWidth()}
	entry := func(id string, waited time.Duration, avoids ...string) Entry {
		return Entry{ID: id, Members: []Rating{NewRating()}, Since: noon.Add(-waited), Avoids: avoids}
	}
	for _, c := range []struct {
		waited time.Duration
		want   int
	}{{AvoidFor - time.Second, 0}, {AvoidFor, 1}} {
		if got := r.Pair(noon, []Entry{entry("a", c.waited, "b"), entry("b", time.Second)}); len(got) != c.want {
			t.Errorf("after %v there are %d matches, want %d", c.waited, len(got), c.want)
		}
	}
	// A third entry is taken in place of the avoided one.
	got := r.Pair(noon, []Entry{entry("a", 3*time.Second, "b"), entry("b", 2*time.Second), entry("c", time.Second)})
	if len(got) != 1 || !slices.Contains(slices.Concat(got[0].Teams[0], got[0].Teams[1]), "c") {
		t.Errorf("%v", got)
	}
}

// The matches equal the result of trying everything; the teams are full, the parties
// together, no entry in two matches, and no other way to deal the teams is more even.
func TestPairsAsTheObviousDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, entries := drawQueue(t)
		byID := map[string]Entry{}
		for _, e := range entries {
			byID[e.ID] = e
		}
		got, want := r.Pair(noon, entries), obviousPair(r, entries)
		if len(got) != len(want) {
			t.Fatalf("%d matches, want %v", len(got), want)
		}
		seen := map[string]bool{}
		for i, m := range got {
			if m.Bots != [2]int{} {
				t.Fatalf("bots in %v", m)
			}
			var set []Entry
			size, sum := [2]int{}, [2]float64{}
			for team, ids := range m.Teams {
				for _, id := range ids {
					if seen[id] {
						t.Fatalf("%s is in two places", id)
					}
					seen[id] = true
					set = append(set, byID[id])
					size[team] += len(byID[id].Members)
					sum[team] += obviousMean(byID[id]) * float64(len(byID[id].Members))
				}
			}
			if size != [2]int{r.TeamSize, r.TeamSize} {
				t.Fatalf("teams of %v", size)
			}
			ids := slices.Concat(m.Teams[0], m.Teams[1])
			slices.Sort(ids)
			slices.Sort(want[i])
			if !slices.Equal(ids, want[i]) {
				t.Fatalf("match %d is %v, want %v", i, ids, want[i])
			}
			for _, teams := range splits(r, set) {
				d := [2]float64{}
				for j, e := range set {
					d[teams[j]] += obviousMean(e) * float64(len(e.Members))
				}
				if math.Abs(d[0]-d[1]) < math.Abs(sum[0]-sum[1])-1e-6 {
					t.Fatalf("the teams differ by %v, and need only by %v", math.Abs(sum[0]-sum[1]), math.Abs(d[0]-d[1]))
				}
			}
		}
		// No remaining entry could play.
		left := slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool { return seen[e.ID] })
		for _, e := range left {
			if _, sets := obviousSets(r, e, left); len(sets) > 0 {
				t.Fatalf("%s is left, and could play with %v", e.ID, sets[0])
			}
		}
		// The oldest waits only if there is no match for it at all.
		if len(entries) > 0 {
			oldest := slices.MinFunc(entries, func(a, b Entry) int { return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.ID, b.ID)) })
			if _, sets := obviousSets(r, oldest, entries); len(sets) > 0 && !seen[oldest.ID] {
				t.Fatalf("the oldest, %s, waits", oldest.ID)
			}
		}
		shuffled := slices.Clone(entries)
		rand.New(rand.NewPCG(1, uint64(len(entries)))).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		if again := r.Pair(noon, shuffled); !reflect.DeepEqual(again, got) {
			t.Fatalf("in another order: %v, not %v", again, got)
		}
	})
}

// Of two strong and two weak players each team gets one of both; a party stays
// together, and is answered by the best that is left.
func TestTeamsAreEven(t *testing.T) {
	r := Rules{TeamSize: 2, Width: Width{Start: 3000}}
	got := r.Pair(noon, []Entry{players("a", 4*time.Second, 2000), players("b", 3*time.Second, 1900), players("c", 2*time.Second, 1000), players("d", time.Second, 900)})
	if want := []Match{{Teams: [2][]string{{"a", "d"}, {"b", "c"}}}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	got = r.Pair(noon, []Entry{players("pair", 4*time.Second, 2000, 1900), players("c", 2*time.Second, 1000), players("d", time.Second, 900)})
	if want := []Match{{Teams: [2][]string{{"pair"}, {"c", "d"}}}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestWidth(t *testing.T) {
	w := Width{Start: 100, PerSecond: 10, Most: 500}
	for waited, want := range map[time.Duration]float64{-time.Second: 100, 0: 100, 1500 * time.Millisecond: 115, 40 * time.Second: 500, time.Hour: 500} {
		if got := w.After(waited); got != want {
			t.Errorf("after %s: %v, want %v", waited, got, want)
		}
	}
	if got := (Width{Start: 100, PerSecond: 10}).After(time.Hour); got != 36100 {
		t.Errorf("without an end: %v", got)
	}
}

// A long waiting player meets a newcomer of any rating, if the width has no limit; with
// a limit both wait.
func TestAnOutlierIsServed(t *testing.T) {
	strong := players("strong", 200*time.Second, 3000)
	new := players("new", 0, 1500)
	r := Rules{TeamSize: 1, Width: Width{Start: 100, PerSecond: 10}}
	if got := r.Pair(noon, []Entry{strong, new}); got != nil {
		t.Errorf("after 200 s: %v", got)
	}
	strong.Since = noon.Add(-280 * time.Second)
	if got := r.Pair(noon, []Entry{strong, new}); len(got) != 1 {
		t.Errorf("after 280 s: %v", got)
	}
	r.Width.Most = 1000
	if got := r.Pair(noon, []Entry{strong, new}); got != nil {
		t.Errorf("with a bound: %v", got)
	}
}

// Bots come after their time, and only for missing players; present players play too.
func TestBotsFill(t *testing.T) {
	r := Rules{TeamSize: 2, Width: Width{Start: 100, PerSecond: 10}, BotAfter: 30 * time.Second}
	old, new, far := players("old", 30*time.Second, 1500), players("new", time.Second, 1550, 1550), players("far", 0, 2900)
	early := old
	early.Since = noon.Add(-29 * time.Second)
	if got := r.Pair(noon, []Entry{early, new, far}); got != nil {
		t.Errorf("after 29 s: %v", got)
	}
	got := r.Pair(noon, []Entry{old, new, far})
	if want := []Match{{Teams: [2][]string{{"old"}, {"new"}}, Bots: [2]int{1, 0}}}; !reflect.DeepEqual(got, want) {
		t.Errorf("after 30 s: %v, want %v", got, want)
	}
	alone := r.Pair(noon, []Entry{old, far})
	if want := []Match{{Teams: [2][]string{{"old"}, nil}, Bots: [2]int{1, 2}}}; !reflect.DeepEqual(alone, want) {
		t.Errorf("alone: %v, want %v", alone, want)
	}
	people := r.Pair(noon, []Entry{old, new, players("third", 0, 1500)})
	if len(people) != 1 || people[0].Bots != [2]int{} {
		t.Errorf("with enough people: %v", people)
	}
	r.BotAfter = 0
	if got := r.Pair(noon, []Entry{old, new}); got != nil {
		t.Errorf("without bots: %v", got)
	}
}

func TestEntriesThatCannotPlayAreLeftOut(t *testing.T) {
	r := Rules{TeamSize: 1, Width: Width{Start: 100}}
	if got := r.Pair(noon, []Entry{{ID: "nobody", Since: noon}, players("two", 0, 1500, 1500), players("one", 0, 1500)}); got != nil {
		t.Errorf("%v", got)
	}
}

// 2000 parties of three in a queue of four a team: no two fit, and the search ends
// soon.
func BenchmarkPairWorst(b *testing.B) {
	var entries []Entry
	for i := range 2000 {
		entries = append(entries, players(fmt.Sprint(i), time.Minute, 1500, 1500, 1500))
	}
	r := Rules{TeamSize: 4, Width: Width{Start: 1000}}
	for b.Loop() {
		if got := r.Pair(noon, entries); got != nil {
			b.Fatal(got)
		}
	}
}

func BenchmarkPairMany(b *testing.B) {
	source := rand.New(rand.NewPCG(1, 2))
	var entries []Entry
	for i := range 2000 {
		entries = append(entries, players(fmt.Sprint(i), time.Duration(source.IntN(60))*time.Second, 1500+300*source.NormFloat64()))
	}
	r := Rules{TeamSize: 2, Width: Width{Start: 100, PerSecond: 10}}
	for b.Loop() {
		if got := r.Pair(noon, entries); len(got) < 400 {
			b.Fatal(len(got))
		}
	}
}
