package model

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
)

func teamsOf(l *Lobby) (out []int) {
	for _, s := range l.Seats {
		out = append(out, int(s.Team))
	}
	return out
}

// A new player gets a team by the lobby's option, and may take another. When the option
// changes everybody gets the team anew; spectators keep their view.
func TestTeamsOfAnOption(t *testing.T) {
	for _, c := range []struct {
		teams string
		want  []int // of the host, a, a bot, b, a second bot
	}{
		{TeamsEach, []int{0, 1, 2, 3, 4}},
		{"", []int{0, 1, 2, 3, 4}}, // of a lobby from before the option
		{TeamsSides, []int{0, 1, 0, 1, 0}},
		{TeamsCoop, []int{0, 0, 1, 0, 1}},
	} {
		l := room()
		l.Limit, l.Options.Teams, l.Options.Spectators = 8, c.teams, 1
		sit(t, l, true, "w")
		sit(t, l, false, "a")
		if err := l.AddBot("host", "", nil); err != nil {
			t.Fatal(err)
		}
		sit(t, l, false, "b")
		if err := l.AddBot("host", "", nil); err != nil {
			t.Fatal(err)
		}
		want := append(slices.Clone(c.want), int(grid.NoTeam))
		if got := teamsOf(l); !slices.Equal(got, want) {
			t.Errorf("%q: teams %v, want %v", c.teams, got, want)
		}
		// From any teams to any.
		for place := range 5 {
			if err := l.SetTeam("host", place, 7); err != nil {
				t.Fatal(err)
			}
		}
		o := l.Options
		o.Teams = "other"
		l.Options.Teams, o.Teams = o.Teams, c.teams
		l.Seats[1].Ready = true
		if err := l.Set("host", Settings{Options: &o}); err != nil {
			t.Fatal(err)
		}
		if got := teamsOf(l); !slices.Equal(got, want) || l.Seats[1].Ready {
			t.Errorf("%q anew: teams %v, want %v", c.teams, got, want)
		}
		// Another option leaves the teams that were chosen.
		if err := l.SetTeam("host", 3, 9); err != nil {
			t.Fatal(err)
		}
		want[3] = 9
		o.Spectators = 2
		if err := l.Set("host", Settings{Options: &o}); err != nil {
			t.Fatal(err)
		}
		if got := teamsOf(l); !slices.Equal(got, want) {
			t.Errorf("%q after another option: teams %v, want %v", c.teams, got, want)
		}
	}
}

// Of two teams the smaller gets the next player; teams beyond the two, and spectators,
// count in neither.
func TestTwoTeamsAreEven(t *testing.T) {
	l := room()
	l.Limit, l.Options.Teams, l.Options.Spectators = 8, TeamsSides, 2
	sit(t, l, true, "v", "w")
	first := 0
	for _, id := range []AccountID{"v", "w"} {
		if err := l.Change(id, SeatChange{Team: &first}); err != nil { // whose view it sees
			t.Fatal(err)
		}
	}
	for place, teams := range [][]int{{1, 0}, {5, 0, 0}} {
		if err := l.SetTeam("host", 0, teams[0]); err != nil {
			t.Fatal(err)
		}
		for _, want := range teams[1:] {
			id := AccountID(rune('a' + place*3 + want))
			sit(t, l, false, string(id))
			if got := l.Seats[l.SeatOf(id)].Team; int(got) != want {
				t.Errorf("with the host in team %d: team %d, want %d", teams[0], got, want)
			}
			if err := l.Leave(id); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A team that the host sets takes every ready back, and setting the same team has no
// effect.
func TestHostSetsATeam(t *testing.T) {
	l := room()
	sit(t, l, false, "a", "b")
	l.Seats[2].Ready = true
	version := l.SettingsVersion
	l.Events = nil
	if err := l.SetTeam("host", 1, 1); err != nil || len(l.Events) != 0 || l.SettingsVersion != version || !l.Seats[2].Ready {
		t.Errorf("the team that it was: %v, %v", err, kinds(l))
	}
	if err := l.SetTeam("host", 1, 0); err != nil || l.Seats[1].Team != 0 || l.SettingsVersion != version+1 || l.Seats[2].Ready || !slices.Equal(kinds(l), []EventKind{LobbyEvent}) {
		t.Errorf("another team: %v, %+v, told are %v", err, l.Seats, kinds(l))
	}
}

// A line of chat carries the option of its time, whether later players get it; an
// announcement never goes to them.
func TestKeptChat(t *testing.T) {
	l := room()
	sit(t, l, false, "a")
	l.Seats[1].Since = 10
	var lines []Event
	say := func(seq int64, text string) {
		t.Helper()
		l.Events = nil
		if err := l.Say("host", text); err != nil {
			t.Fatal(err)
		}
		e := l.Events[0]
		e.Seq = seq
		lines = append(lines, e)
	}
	say(1, "aside")
	l.Options.ChatHistory = true
	say(2, "welcome")
	l.Options.ChatHistory = false
	say(11, "hello")
	announce, _ := json.Marshal(ChatLine{Name: "server", Text: "soon"})
	lines = append(lines, Event{Seq: 3, Kind: AnnounceEvent, Body: announce}, Event{Seq: 4, Kind: ChatEvent, Body: json.RawMessage(`{`)})
	texts := func() (out []string) {
		for _, e := range l.ChatFor("a", lines) {
			var line ChatLine
			_ = json.Unmarshal(e.Body, &line)
			out = append(out, line.Text)
		}
		return out
	}
	if got := texts(); !slices.Equal(got, []string{"hello"}) {
		t.Errorf("with the option off: %q", got)
	}
	l.Options.ChatHistory = true
	if got := texts(); !slices.Equal(got, []string{"welcome", "hello"}) {
		t.Errorf("with the option on: %q", got)
	}
}
