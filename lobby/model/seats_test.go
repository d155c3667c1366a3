package model

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
)

func sit(t *testing.T, l *Lobby, spectate bool, names ...string) {
	t.Helper()
	for _, n := range names {
		if err := l.Sit(Account{ID: AccountID(n), Name: n}, spectate); err != nil {
			t.Fatalf("%s sits down: %v", n, err)
		}
	}
}

func kinds(l *Lobby) (out []EventKind) {
	for _, e := range l.Events {
		out = append(out, e.Kind)
	}
	return out
}

// A seat is the lowest free one, and has a free team and a free colour. A lobby is full
// at its limit and not before.
func TestSeatsAreTheLowestFree(t *testing.T) {
	l := room() // four seats, the host in the first
	sit(t, l, false, "a", "b")
	if err := l.Leave("a"); err != nil {
		t.Fatal(err)
	}
	l.Events = nil
	sit(t, l, false, "c")
	if s := l.Seats[1]; s.Account != "c" || s.Place != 1 || s.Team != 1 || s.Color != 1 || s.Kind != PlayerSeat || s.Ready {
		t.Errorf("the free seat is given as %+v", s)
	}
	if !slices.Equal(kinds(l), []EventKind{LobbyEvent}) {
		t.Errorf("told are %v", kinds(l))
	}
	version := l.SettingsVersion
	l.Seats[1].Ready, l.Events = true, nil
	if err := l.AddBot("host", "", nil); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(kinds(l), []EventKind{LobbyEvent}) {
		t.Errorf("a bot came, told are %v", kinds(l))
	}
	if s := l.Seats[3]; s.Name != "Bot D" || s.Place != 3 || s.Team != 3 || s.Color != 3 || !s.Ready || s.Kind != BotSeat {
		t.Errorf("the bot is %+v", s)
	}
	if l.SettingsVersion == version || l.Seats[1].Ready {
		t.Error("a bot came, and who was ready before it still is")
	}
	if l.Players() != 3 || l.Taken() != 4 {
		t.Errorf("%d players, %d seats are taken", l.Players(), l.Taken())
	}
	if err := l.Sit(Account{ID: "d"}, false); !errors.Is(err, LobbyFull) {
		t.Errorf("a fifth player: %v", err)
	}
	if err := l.AddBot("host", "", nil); !errors.Is(err, LobbyFull) {
		t.Errorf("a fifth, a bot: %v", err)
	}
	if l.SeatOf("") != -1 {
		t.Error("a bot's seat is that of who has no account")
	}
	// Spectators have seats, teams' views and no colours of their own.
	l.Options.Spectators = 2
	sit(t, l, true, "v", "w")
	if s := l.Seats[5]; s.Place != spectatorPlaces+1 || s.Team != grid.NoTeam || s.Kind != SpectatorSeat {
		t.Errorf("the second spectator is %+v", s)
	}
	if err := l.Sit(Account{ID: "x"}, true); !errors.Is(err, LobbyFull) {
		t.Errorf("a third spectator: %v", err)
	}
	if err := l.Leave("c"); err != nil {
		t.Fatal(err)
	}
	sit(t, l, false, "e")
	if s := l.Seats[1]; s.Team != 1 || s.Color != 1 {
		t.Errorf("spectators take teams or colours: %+v", s)
	}
}

// Teams and colours are numbers below their bounds; the last of each is one.
func TestBoundsOfSeats(t *testing.T) {
	n := func(i int) *int { return &i }
	for _, c := range []struct {
		team, color *int
		want        Code
	}{
		{n(0), nil, ""}, {n(grid.TeamsMax - 1), nil, ""}, {n(grid.TeamsMax), nil, BadTeam}, {n(-1), nil, BadTeam},
		{nil, n(0), ""}, {nil, n(ColorsMax - 1), ""}, {nil, n(ColorsMax), BadColor}, {nil, n(-1), BadColor},
	} {
		l := room()
		err := l.Change("host", SeatChange{Team: c.team, Color: c.color})
		if c.want == "" && err != nil || c.want != "" && !errors.Is(err, c.want) {
			t.Errorf("team %v, colour %v: %v, want %q", c.team, c.color, err, c.want)
		}
		if c.color == nil {
			err := l.AddBot("host", "", c.team)
			if c.want == "" && (err != nil || l.Seats[1].Team != grid.Team(*c.team)) || c.want != "" && !errors.Is(err, c.want) {
				t.Errorf("a bot of team %d: %v, want %q", *c.team, err, c.want)
			}
		}
		if c.color == nil {
			l.Options.Spectators = 1
			sit(t, l, true, "w")
			err := l.Change("w", SeatChange{Team: c.team})
			allEyes := *c.team == -1
			if (c.want == "" || allEyes) && err != nil || c.want != "" && !allEyes && !errors.Is(err, c.want) {
				t.Errorf("the eyes of team %d: %v, want %q", *c.team, err, c.want)
			}
		}
	}
}

// A bot has the host's level, or medium, and its match gets the level.
func TestBotsHaveLevels(t *testing.T) {
	l := room()
	l.Limit, l.Map.Starts = 8, 8
	for _, level := range append(BotLevels(), "") {
		if err := l.AddBot("host", level, nil); err != nil {
			t.Fatal(err)
		}
	}
	now := time.Unix(1000, 0)
	if err := l.Begin("host", now); err != nil {
		t.Fatal(err)
	}
	spec, err := l.Launch("m", 1, now.Add(time.Hour), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	var got []BotLevel
	for _, p := range spec.Participants {
		got = append(got, p.Level)
	}
	if want := append(append([]BotLevel{""}, BotLevels()...), MediumBot); !slices.Equal(got, want) {
		t.Errorf("the levels are %q, want %q", got, want)
	}
}

// A changed team or colour makes a player unready, a changed team everybody; a
// spectator changes its eyes alone, also while the match runs.
func TestChangesOfASeat(t *testing.T) {
	n := func(i int) *int { return &i }
	yes := true
	l := room()
	l.Options.Spectators = 1
	sit(t, l, false, "a", "b")
	sit(t, l, true, "w")
	ready := func(id AccountID) {
		t.Helper()
		if err := l.Change(id, SeatChange{Ready: &yes, SettingsVersion: &l.SettingsVersion}); err != nil {
			t.Fatal(err)
		}
	}
	isReady := func() string { return fmt.Sprint(l.Seats[1].Ready, l.Seats[2].Ready) }
	ready("a")
	ready("b")
	version := l.SettingsVersion
	l.Events = nil
	if err := l.Change("a", SeatChange{Color: n(9)}); err != nil || isReady() != "false true" || l.SettingsVersion != version {
		t.Errorf("another colour: %v, ready are %s", err, isReady())
	}
	if !slices.Equal(kinds(l), []EventKind{LobbyEvent}) {
		t.Errorf("told are %v", kinds(l))
	}
	ready("a")
	if err := l.Change("a", SeatChange{Team: n(1)}); err != nil || isReady() != "false true" || l.SettingsVersion != version {
		t.Errorf("the team that it was: %v, ready are %s", err, isReady())
	}
	ready("a")
	if err := l.Change("a", SeatChange{Team: n(7)}); err != nil || isReady() != "false false" || l.SettingsVersion == version {
		t.Errorf("another team: %v, ready are %s", err, isReady())
	}
	for _, c := range []SeatChange{{Color: n(1)}, {Ready: &yes}, {Team: n(1), Color: n(1)}, {Team: n(1), Ready: &yes}, {}} {
		if err := l.Change("w", c); !errors.Is(err, NotSeated) {
			t.Errorf("a spectator changes %+v: %v", c, err)
		}
	}
	if err := l.Change("w", SeatChange{Team: n(-2)}); !errors.Is(err, BadTeam) {
		t.Errorf("the eyes of team -2: %v", err)
	}
	ready("a")
	no := false
	if err := l.Change("a", SeatChange{Ready: &no}); err != nil || l.Seats[1].Ready {
		t.Errorf("not ready any more: %v", err)
	}
	l.State, l.Events = Playing, nil
	if err := l.Change("w", SeatChange{Team: n(1)}); err != nil || l.Seats[3].Team != 1 || len(l.Events) != 1 {
		t.Errorf("a spectator's eyes during the match: %v", err)
	}
	if err := l.Change("w", SeatChange{Team: n(-1)}); err != nil || l.Seats[3].Team != grid.NoTeam {
		t.Errorf("all eyes: %v", err)
	}
}

// A leaving player frees its seat. The host's role goes to the lowest player, never to
// a bot or a spectator; a countdown ends; without players the lobby closes.
func TestLeavingAndKicking(t *testing.T) {
	l := room()
	l.Options.Spectators = 1
	sit(t, l, true, "w")
	if err := l.AddBot("host", "", nil); err != nil {
		t.Fatal(err)
	}
	sit(t, l, false, "a")
	l.State, l.Events = Starting, nil
	if err := l.Leave("host"); err != nil || l.Host != "a" || l.State != Open || len(l.Events) != 1 {
		t.Errorf("the host leaves in the countdown: %v, host %q, %v", err, l.Host, l.State)
	}
	sit(t, l, false, "b")
	l.State, l.Match = Starting, "m"
	if err := l.Leave("b"); err != nil || l.State != Starting || l.Host != "a" {
		t.Errorf("another leaves once the match is made: %v, host %q, %v", err, l.Host, l.State)
	}
	if err := l.Leave("b"); !errors.Is(err, NotSeated) {
		t.Errorf("it leaves twice: %v", err)
	}
	l.State, l.Match = Open, ""
	sit(t, l, false, "c")
	for id, want := range map[AccountID]bool{"c": true, "": false} {
		i := slices.IndexFunc(l.Seats, func(s Seat) bool { return s.Account == id })
		l.Events, l.Seats[l.SeatOf("a")].Ready = nil, true
		version, place := l.SettingsVersion, l.Seats[i].Place
		if err := l.Kick("a", place); err != nil || l.SeatAt(place) >= 0 {
			t.Fatalf("kick %q: %v", id, err)
		}
		if slices.Contains(kinds(l), KickedEvent) != want {
			t.Errorf("kick %q: told are %v", id, kinds(l))
		}
		// The settings were agreed on with the bot, not with the player.
		if changed := l.SettingsVersion != version; changed != (id == "") {
			t.Errorf("kick %q: settings changed is %v", id, changed)
		}
	}
	l.Events = nil
	l.Remove("nobody", "x")
	l.Rename("nobody", "x")
	if len(l.Events) != 0 {
		t.Errorf("nobody is removed and renamed, told are %v", kinds(l))
	}
	l.Rename("a", "Anna")
	if l.Seats[l.SeatOf("a")].Name != "Anna" || !slices.Equal(kinds(l), []EventKind{LobbyEvent}) {
		t.Errorf("renamed: %+v, told are %v", l.Seats, kinds(l))
	}
	// Only a leaving host passes its role on.
	sit(t, l, false, "d", "e")
	if l.Seats[0].Account != "d" {
		t.Fatalf("the first seat is %+v", l.Seats[0])
	}
	l.State = Ended
	if err := l.Leave("e"); err != nil || l.Host != "a" || l.State != Ended {
		t.Errorf("another leaves after the match: %v, host %q, %v", err, l.Host, l.State)
	}
	if err := l.Leave("d"); err != nil {
		t.Fatal(err)
	}
	l.Events = nil
	l.Remove("a", "banned")
	if l.State != Closed || l.Seats != nil || !slices.Contains(kinds(l), KickedEvent) {
		t.Errorf("the last player is removed: %+v", l)
	}
}

// Unreachable states of a lobby do no harm: more seats than its limit, and spectators
// alone.
func TestOddLobbies(t *testing.T) {
	n := func(i int) *int { return &i }
	l := room()
	sit(t, l, false, "a", "b")
	l.Limit = 2
	if err := l.Sit(Account{ID: "c"}, false); !errors.Is(err, LobbyFull) {
		t.Errorf("a fourth of two: %v", err)
	}
	if err := l.AddBot("host", "", nil); !errors.Is(err, LobbyFull) {
		t.Errorf("a bot, a fourth of two: %v", err)
	}
	l = &Lobby{State: Open, Limit: 2, Match: "m", Options: Options{Spectators: 1}}
	sit(t, l, true, "w")
	if l.Host != "" {
		t.Errorf("a spectator is the host")
	}
	if err := l.Change("w", SeatChange{Team: n(3)}); err != nil || l.Seats[0].Team != 3 {
		t.Errorf("the eyes of who sits first: %v", err)
	}
	if err := l.Change("w", SeatChange{Color: n(1)}); !errors.Is(err, NotSeated) {
		t.Errorf("the colour of who watches and sits first: %v", err)
	}
	l.State = Ended
	if l.SpectatedMatch("w") != "m" {
		t.Error("who sits first does not watch")
	}
}

// Bots of the largest lobby have names of letters and digits, each its own.
func TestBotsHaveNames(t *testing.T) {
	l := room()
	l.Limit, l.Map.Starts = grid.SlotsMax, grid.SlotsMax
	seen := map[string]bool{}
	for range grid.SlotsMax - 1 {
		if err := l.AddBot("host", "", nil); err != nil {
			t.Fatal(err)
		}
		name := l.Seats[len(l.Seats)-1].Name
		if seen[name] || !regexp.MustCompile(`^Bot [A-Z][2-9]?$`).MatchString(name) {
			t.Errorf("a bot is called %q", name)
		}
		seen[name] = true
	}
	if name := l.Seats[1].Name; name != "Bot B" {
		t.Errorf("the second seat's bot is %s", name)
	}
}

// Each seat has a team of its own as long as there are any; then teams grow evenly.
// Colours are given as long as there are any. Spectators take none.
func TestTeamsAndColorsRunOut(t *testing.T) {
	n := func(i int) *int { return &i }
	l := &Lobby{}
	for k := range grid.SlotsMax {
		if got := l.teamFor(PlayerSeat); int(got) != k%grid.TeamsMax {
			t.Fatalf("the team of player %d is %d, want %d", k, got, k%grid.TeamsMax)
		}
		l.Seats = append(l.Seats, Seat{Place: k, Team: grid.Team(k % grid.TeamsMax), Kind: PlayerSeat})
	}
	l.Seats = slices.Delete(l.Seats, 21, 22)
	if got := l.teamFor(BotSeat); got != 5 {
		t.Errorf("the smallest team is %d, want 5", got)
	}
	l.Seats = nil
	for k := range ColorsMax {
		if got := l.freeColor(); int(got) != k {
			t.Fatalf("the free colour is %d, want %d", got, k)
		}
		l.Seats = append(l.Seats, Seat{Place: k, Color: uint8(k), Kind: BotSeat})
	}
	if got := l.freeColor(); got != 0 {
		t.Errorf("with all colours taken the free one is %d", got)
	}
	l = room()
	l.Options.Spectators = 1
	sit(t, l, true, "w")
	if err := l.Change("host", SeatChange{Color: n(5)}); err != nil {
		t.Fatal(err)
	}
	sit(t, l, false, "a", "b")
	if l.Seats[1].Color != 0 {
		t.Errorf("a spectator has taken the first colour: %+v", l.Seats[1])
	}
	if err := l.Change("a", SeatChange{Color: n(9)}); err != nil {
		t.Fatal(err)
	}
	if err := l.Change("b", SeatChange{Color: n(0)}); err != nil {
		t.Errorf("a spectator's colour: %v", err)
	}
	if err := l.Change("b", SeatChange{Color: n(9)}); !errors.Is(err, ColorTaken) {
		t.Errorf("another player's colour: %v", err)
	}
}

// Only a spectator of a match that runs or has ended watches it.
func TestSpectatedMatch(t *testing.T) {
	l := room()
	l.Options.Spectators = 1
	sit(t, l, true, "w")
	l.Match = "m"
	for _, s := range []State{Open, Starting, Playing, Ended, Closed} {
		l.State = s
		want := MatchID("")
		if s == Playing || s == Ended {
			want = "m"
		}
		if got := l.SpectatedMatch("w"); got != want {
			t.Errorf("%v: %q, want %q", s, got, want)
		}
		if l.SpectatedMatch("host") != "" || l.SpectatedMatch("nobody") != "" {
			t.Errorf("%v: one who does not watch watches", s)
		}
	}
}

// A player's seat is opened only once the match says that the player is away. A bot's
// seat is open as long as the host wants it so. Seats of other teams and seats that are
// out cannot be opened.
func TestOpenSeats(t *testing.T) {
	l := room()
	l.Limit = 6
	sit(t, l, false, "there", "gone")
	for range 3 {
		if err := l.AddBot("host", "", nil); err != nil {
			t.Fatal(err)
		}
	}
	for i := range l.Seats {
		l.Seats[i].Team = 0
	}
	l.Seats[5].Team = 1
	l.State = Playing
	away := func(s Seat) SeatState {
		switch {
		case s.Account == "gone":
			return SeatAway
		case s.Place == 4:
			return SeatOut
		}
		return SeatHeld
	}
	for _, c := range []struct {
		slot int
		open bool
		want error
	}{
		{0, true, WrongState}, {1, true, WrongState}, {1, false, nil}, {2, true, nil}, {3, true, nil},
		{4, true, WrongState}, {5, true, WrongState}, {5, false, nil}, {6, true, NoSuchSeat},
	} {
		if err := l.OpenSeat("host", c.slot, c.open, away); !errors.Is(err, c.want) {
			t.Errorf("slot %d, open %t: %v, want %v", c.slot, c.open, err, c.want)
		}
	}
	if l.CloseSeats(away) || !l.Seats[2].Open || !l.Seats[3].Open {
		t.Errorf("seats of who is away were closed: %+v", l.Seats)
	}
	l.Events = nil
	if !l.CloseSeats(func(Seat) SeatState { return SeatHeld }) || l.Seats[2].Open || !l.Seats[3].Open {
		t.Errorf("after the player came back: %+v", l.Seats)
	}
	if got := kinds(l); !slices.Equal(got, []EventKind{LobbyEvent}) {
		t.Errorf("watchers are told %v", got)
	}
	l.Events = nil
	if err := l.takeOver(Account{ID: "late", Name: "late"}); err != nil || l.Seats[3].Account != "late" {
		t.Fatalf("%v: %+v", err, l.Seats)
	}
	if got := kinds(l); !slices.Equal(got, []EventKind{LobbyEvent}) {
		t.Errorf("a bot is told that it was removed: %v", got)
	}
	if err := l.OpenSeat("host", 2, true, away); err != nil {
		t.Fatal(err)
	}
	l.Events = nil
	if err := l.takeOver(Account{ID: "later", Name: "later"}); err != nil || l.Seats[2].Account != "later" {
		t.Fatalf("%v: %+v", err, l.Seats)
	}
	if got := kinds(l); !slices.Equal(got, []EventKind{KickedEvent, LobbyEvent}) || l.Events[0].Account != "gone" {
		t.Errorf("who was away is told %v", got)
	}
	if err := l.takeOver(Account{ID: "last", Name: "last"}); !errors.Is(err, ErrBegun) {
		t.Errorf("without an open seat: %v", err)
	}
	l.Options.OpenOtherTeams = true
	if err := l.OpenSeat("host", 5, true, away); err != nil {
		t.Errorf("another team's seat, as the option allows: %v", err)
	}
	l.Options.OpenOtherTeams = false
	if !l.CloseSeats(away) || l.Seats[5].Open {
		t.Errorf("another team's seat stays open: %+v", l.Seats[5])
	}
}

// TestColorsOfManyPlayers: with more seats than colours, each colour may be worn as
// often as it takes, and no more; a new player gets a colour that fewest wear.
func TestColorsOfManyPlayers(t *testing.T) {
	l := &Lobby{Limit: 40}
	for i := range 40 {
		l.insertSeat(Seat{Place: i, Kind: BotSeat, Color: l.freeColor()})
	}
	for c := range uint8(ColorsMax) {
		if n := l.wearing(c); n < 2 || n > 3 {
			t.Errorf("%d of 40 have colour %d", n, c)
		}
	}
	if n := l.colorShare(); n != 3 {
		t.Errorf("%d of 40 may share a colour", n)
	}
	for limit, want := range map[int]int{2: 1, 16: 1, 17: 2, 64: 4} {
		if n := (&Lobby{Limit: limit}).colorShare(); n != want {
			t.Errorf("%d of %d may share a colour, want %d", n, limit, want)
		}
	}
}
