package model

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestParseQueues(t *testing.T) {
	good := `{"queues":[{"id":"duel","name":"Duel","teamSize":1,"maps":["ford"],"options":{"mode":"deathmatch"},"mapsPerWeek":1,"vetoes":2,"botAfterSeconds":60,"botLevel":"hard","unrated":true,"width":{"start":50,"perSecond":5,"most":400}}]}`
	list, err := ParseQueues([]byte(good))
	if err != nil || len(list) != 1 {
		t.Fatalf("%v, %v", list, err)
	}
	if r := list[0].Rules(); r.Width.Most != 400 || r.BotAfter.Seconds() != 60 || r.TeamSize != 1 {
		t.Errorf("rules %+v", r)
	}
	for text, want := range map[string]string{
		`{"queues":[{"id":"Duel","name":"x","teamSize":1}]}`:                                                    "id: want a word",
		`{"queues":[{"id":"a","name":"","teamSize":1}]}`:                                                        "bad_name",
		`{"queues":[{"id":"a","name":"x","teamSize":0}]}`:                                                       "teamSize: want 1 to 4",
		`{"queues":[{"id":"a","name":"x","teamSize":5}]}`:                                                       "teamSize: want 1 to 4",
		`{"queues":[{"id":"a","name":"x","teamSize":1,"botAfterSeconds":-1}]}`:                                  "botAfterSeconds",
		`{"queues":[{"id":"a","name":"x","teamSize":1,"mapsPerWeek":65}]}`:                                      "mapsPerWeek: want",
		`{"queues":[{"id":"a","name":"x","teamSize":1,"vetoes":9}]}`:                                            "vetoes: want",
		`{"queues":[{"id":"a","name":"x","teamSize":1,"botLevel":"god"}]}`:                                      "botLevel",
		`{"queues":[{"id":"a","name":"x","teamSize":1,"width":{"start":-1,"perSecond":1}}]}`:                    "width",
		`{"queues":[{"id":"a","name":"x","teamSize":1,"size":3}]}`:                                              "unknown field",
		`{"queues":[{"id":"a","name":"x","teamSize":1},{"id":"a","name":"y","teamSize":1}]}`:                    "twice",
		`{"queues":[` + strings.Repeat(`{"id":"a","name":"x","teamSize":1},`, 16) + `{"id":"b","teamSize":1}]}`: "more than 16 queues",
		`[]`:                              "cannot unmarshal",
		strings.Repeat(" ", 65537) + `{}`: "more than 65536 bytes",
	} {
		if _, err := ParseQueues([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80s: %v, want %q", text, err, want)
		}
	}
	for _, q := range DefaultQueues() {
		if err := q.validate(); err != nil {
			t.Errorf("%s: %v", q.ID, err)
		}
	}
}

// A queue without maps takes maps with as many starts as players, or else with more.
func TestMapsOfAQueue(t *testing.T) {
	all := []MapInfo{{ID: "two", Starts: 2}, {ID: "eight", Starts: 8}, {ID: "also-two", Starts: 2}}
	for _, c := range []struct {
		q    Queue
		want string
	}{
		{Queue{TeamSize: 1}, "two also-two"},
		{Queue{TeamSize: 2}, "eight"},
		{Queue{TeamSize: 1, Maps: []string{"eight", "gone"}}, "eight"},
	} {
		var got []string
		for _, m := range c.q.MapsAmong(all) {
			got = append(got, m.ID)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%+v: %q, want %q", c.q, s, c.want)
		}
	}
}

// The pool changes on Mondays at 00:00 UTC, and in a round of weeks each map is in it equally often.
func TestPoolRotates(t *testing.T) {
	all := []MapInfo{{ID: "a", Starts: 2}, {ID: "b", Starts: 2}, {ID: "c", Starts: 2}, {ID: "d", Starts: 2}, {ID: "e", Starts: 2}}
	q := Queue{TeamSize: 1, MapsPerWeek: 3}
	monday := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	count := map[string]int{}
	for range 5 {
		pool := q.Pool(all, monday)
		next := PoolEnds(monday)
		if !next.Equal(monday.AddDate(0, 0, 7)) || len(pool) != 3 || !slices.Equal(pool, q.Pool(all, next.Add(-1))) || slices.Equal(pool, q.Pool(all, next)) {
			t.Errorf("from %v to %v: %v", monday, next, pool)
		}
		for _, m := range pool {
			count[m.ID]++
		}
		monday = next
	}
	for _, m := range all {
		if count[m.ID] != 3 {
			t.Errorf("in five weeks the pool has the maps %v", count)
		}
	}
	for _, per := range []int{0, 5, 9} {
		if q.MapsPerWeek = per; len(q.Pool(all, monday)) != 5 {
			t.Errorf("%d maps per week of 5: %v", per, q.Pool(all, monday))
		}
	}
}

// Each team has as many vetoes as one party, a map that is out costs none, and two maps stay.
func TestVetoes(t *testing.T) {
	var pool []MapInfo
	for _, id := range []string{"a", "b", "c", "d", "e", "f"} {
		pool = append(pool, MapInfo{ID: id})
	}
	for _, c := range []struct {
		vetoes, pool int
		wishes       [2][][]string
		want         string // each is a possible result
	}{
		{1, 6, [2][][]string{{{"a"}}, {nil}}, "a"},
		{1, 6, [2][][]string{{{"a"}}, {{"a"}}}, "a"},
		{1, 6, [2][][]string{{{"a"}, {"b"}}, {{"c"}}}, "ac bc"},              // two parties share one veto
		{2, 6, [2][][]string{{{"a", "b"}}, {{"a", "c"}}}, "abc"},             // a is out once
		{2, 6, [2][][]string{{{"a", "b"}, {"c", "d"}}, {nil, {"e"}}}, "ace"}, // both parties' first ones
		{2, 4, [2][][]string{{{"a", "b"}}, {{"c", "d"}}}, "ac"},              // two maps stay; each team has one
		{1, 3, [2][][]string{{{"a"}}, {{"b"}}}, "a b"},                       // either team is first
		{1, 2, [2][][]string{{{"a"}}, {{"b"}}}, ""},                          // nothing to veto
		{1, 6, [2][][]string{{{"of another week"}}, {{"b"}}}, "b"},           // the week has ended meanwhile
	} {
		seen := map[string]bool{}
		for seed := range uint64(32) {
			q := Queue{Vetoes: c.vetoes}
			left, struck := q.Strike(pool[:c.pool], c.wishes, rand.New(rand.NewPCG(seed, 1)))
			if len(left)+len(struck) != c.pool {
				t.Errorf("%v: %v are left, %v are out", c.wishes, left, struck)
			}
			slices.Sort(struck)
			seen[strings.Join(struck, "")] = true
		}
		if got := slices.Sorted(maps.Keys(seen)); !slices.Equal(got, strings.Split(c.want, " ")) {
			t.Errorf("%d vetoes of %d maps, %v: %q, want %q", c.vetoes, c.pool, c.wishes, got, c.want)
		}
	}
}
