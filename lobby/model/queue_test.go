package model

import (
	"strings"
	"testing"
)

func TestParseQueues(t *testing.T) {
	good := `{"queues":[{"id":"duel","name":"Duel","teamSize":1,"maps":["ford"],"options":{"mode":"deathmatch"},"botAfterSeconds":60,"botLevel":"hard","unrated":true,"width":{"start":50,"perSecond":5,"most":400}}]}`
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
