package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func room() *Lobby {
	l := &Lobby{ID: "l", Map: MapInfo{Name: "Ring", Starts: 8}, State: Open, Limit: 4, Options: DefaultOptions()}
	if err := l.Sit(Account{ID: "host", Name: "Host"}, false); err != nil {
		panic(err)
	}
	l.Events = nil
	return l
}

func TestHostPassesOn(t *testing.T) {
	l := room()
	for _, id := range []AccountID{"a", "b"} {
		if err := l.Sit(Account{ID: id, Name: string(id)}, false); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Sit(Account{ID: "w", Name: "w"}, true); err != nil {
		t.Fatal(err)
	}
	for _, want := range []AccountID{"a", "b"} {
		if err := l.Leave(l.Host); err != nil {
			t.Fatal(err)
		}
		if l.Host != want {
			t.Fatalf("host is %q, want %q", l.Host, want)
		}
	}
	if err := l.Leave("b"); err != nil {
		t.Fatal(err)
	}
	if l.State != Closed || len(l.Seats) != 0 || l.Host != "" {
		t.Fatalf("the last player has left: %+v", l)
	}
	if err := l.Sit(Account{ID: "a"}, false); !errors.Is(err, LobbyClosed) {
		t.Fatal(err)
	}
}

// TestLobbyRules has a row for each rule and the code of its refusal.
func TestLobbyRules(t *testing.T) {
	now := time.Unix(1000, 0)
	n := func(i int) *int { return &i }
	yes := true
	guest := Account{ID: "g", Name: "Guest"}
	seated := func(l *Lobby) { _ = l.Sit(guest, false) }
	for _, c := range []struct {
		name string
		prep func(*Lobby)
		do   func(*Lobby) error
		want Code // "": no refusal
	}{
		{"a bot joins", nil, func(l *Lobby) error { return l.AddBot("host", "", n(3)) }, ""},
		{"a guest calls a bot", seated, func(l *Lobby) error { return l.AddBot("g", "", nil) }, NotHost},
		{"a stranger calls a bot", nil, func(l *Lobby) error { return l.AddBot("x", "", nil) }, NotSeated},
		{"a bot of a level", nil, func(l *Lobby) error { return l.AddBot("host", HardBot, nil) }, ""},
		{"a bot of no level that there is", nil, func(l *Lobby) error { return l.AddBot("host", "brutal", nil) }, BadRequest},
		{"a bot of no team", nil, func(l *Lobby) error { return l.AddBot("host", "", n(16)) }, BadTeam},
		{"twice in one lobby", seated, func(l *Lobby) error { return l.Sit(guest, false) }, AlreadySeated},
		{"a player who also watches", seated, func(l *Lobby) error { return l.Sit(guest, true) }, AlreadySeated},
		{"no spectators wanted", func(l *Lobby) { l.Options.Spectators = 0 }, func(l *Lobby) error { return l.Sit(guest, true) }, LobbyFull},
		{"joining a match", func(l *Lobby) { l.State = Playing }, func(l *Lobby) error { return l.Sit(guest, false) }, NotOpen},
		{"watching a match", func(l *Lobby) { l.State = Playing }, func(l *Lobby) error { return l.Sit(guest, true) }, ""},
		{"a team below 0", nil, func(l *Lobby) error { return l.Change("host", SeatChange{Team: n(-1)}) }, BadTeam},
		{"a colour too many", nil, func(l *Lobby) error { return l.Change("host", SeatChange{Color: n(16)}) }, BadColor},
		{"another's colour", seated, func(l *Lobby) error { return l.Change("g", SeatChange{Color: n(0)}) }, ColorTaken},
		{"one's own colour", seated, func(l *Lobby) error { return l.Change("g", SeatChange{Color: n(1)}) }, ""},
		{"a spectator says ready", func(l *Lobby) { _ = l.Sit(guest, true) }, func(l *Lobby) error { return l.Change("g", SeatChange{Ready: &yes}) }, NotSeated},
		{"a change in a match", func(l *Lobby) { l.State = Playing }, func(l *Lobby) error { return l.Change("host", SeatChange{Ready: &yes}) }, WrongState},
		{"ready to nothing", nil, func(l *Lobby) error { return l.Change("host", SeatChange{Ready: &yes}) }, BadRequest},
		{"ready to what was", nil, func(l *Lobby) error {
			old := l.SettingsVersion - 1
			return l.Change("host", SeatChange{Ready: &yes, SettingsVersion: &old})
		}, SettingsChanged},
		{"ready to what is", nil, func(l *Lobby) error {
			return l.Change("host", SeatChange{Ready: &yes, SettingsVersion: &l.SettingsVersion})
		}, ""},
		{"the host sets a bot's level", func(l *Lobby) { _ = l.AddBot("host", "", nil) }, func(l *Lobby) error { return l.SetLevel("host", 1, HardBot) }, ""},
		{"a level that there is not", func(l *Lobby) { _ = l.AddBot("host", "", nil) }, func(l *Lobby) error { return l.SetLevel("host", 1, ScriptBot) }, BadRequest},
		{"the level of a player", seated, func(l *Lobby) error { return l.SetLevel("host", 1, HardBot) }, WrongState},
		{"the level of nobody", nil, func(l *Lobby) error { return l.SetLevel("host", 1, HardBot) }, NoSuchSeat},
		{"a guest sets a bot's level", func(l *Lobby) { seated(l); _ = l.AddBot("host", "", nil) }, func(l *Lobby) error { return l.SetLevel("g", 2, HardBot) }, NotHost},
		{"a level in a match", func(l *Lobby) { _ = l.AddBot("host", "", nil); l.State = Playing }, func(l *Lobby) error { return l.SetLevel("host", 1, HardBot) }, WrongState},
		{"the host sets a guest's team", seated, func(l *Lobby) error { return l.SetTeam("host", 1, 3) }, ""},
		{"the host sets a bot's team", func(l *Lobby) { _ = l.AddBot("host", "", nil) }, func(l *Lobby) error { return l.SetTeam("host", 1, 0) }, ""},
		{"the host sets its own team", nil, func(l *Lobby) error { return l.SetTeam("host", 0, 2) }, ""},
		{"a guest sets the host's team", seated, func(l *Lobby) error { return l.SetTeam("g", 0, 2) }, NotHost},
		{"a guest sets its team as a host would", seated, func(l *Lobby) error { return l.SetTeam("g", 1, 2) }, NotHost},
		{"a stranger sets a team", seated, func(l *Lobby) error { return l.SetTeam("x", 1, 2) }, NotSeated},
		{"the team of nobody", nil, func(l *Lobby) error { return l.SetTeam("host", 1, 2) }, NoSuchSeat},
		{"the team of a spectator", func(l *Lobby) { _ = l.Sit(guest, true) }, func(l *Lobby) error { return l.SetTeam("host", spectatorPlaces, 0) }, WrongState},
		{"the last team", nil, func(l *Lobby) error { return l.SetTeam("host", 0, 15) }, ""},
		{"one after the last team", nil, func(l *Lobby) error { return l.SetTeam("host", 0, 16) }, BadTeam},
		{"a guest's team below 0", seated, func(l *Lobby) error { return l.SetTeam("host", 1, -1) }, BadTeam},
		{"a team in the countdown", func(l *Lobby) { seated(l); l.State = Starting }, func(l *Lobby) error { return l.SetTeam("host", 1, 2) }, WrongState},
		{"a team in a match", func(l *Lobby) { seated(l); l.State = Playing }, func(l *Lobby) error { return l.SetTeam("host", 1, 2) }, WrongState},
		{"a team after a match", func(l *Lobby) { seated(l); l.State = Ended }, func(l *Lobby) error { return l.SetTeam("host", 1, 2) }, WrongState},
		{"kick", seated, func(l *Lobby) error { return l.Kick("host", 1) }, ""},
		{"kick nobody", nil, func(l *Lobby) error { return l.Kick("host", 2) }, NoSuchSeat},
		{"kick oneself", nil, func(l *Lobby) error { return l.Kick("host", 0) }, WrongState},
		{"a guest kicks", seated, func(l *Lobby) error { return l.Kick("g", 0) }, NotHost},
		{"kick out of a match", func(l *Lobby) { seated(l); l.State = Playing }, func(l *Lobby) error { return l.Kick("host", 1) }, WrongState},
		{"alone", nil, func(l *Lobby) error { return l.Begin("host", now) }, OneSided},
		{"not ready", seated, func(l *Lobby) error { return l.Begin("host", now) }, NotReady},
		{"allies without an enemy", func(l *Lobby) { _ = l.AddBot("host", "", n(0)) }, func(l *Lobby) error { return l.Begin("host", now) }, OneSided},
		{"two sides", func(l *Lobby) { _ = l.AddBot("host", "", n(1)) }, func(l *Lobby) error { return l.Begin("host", now) }, ""},
		{"rematch before a match", nil, func(l *Lobby) error { return l.Rematch("host") }, WrongState},
		{"cancel nothing", nil, func(l *Lobby) error { return l.Cancel("host") }, WrongState},
		{"cancel a match being made", func(l *Lobby) { l.State, l.Match = Starting, "m" }, func(l *Lobby) error { return l.Cancel("host") }, WrongState},
		{"a limit below the taken seats", func(l *Lobby) {
			for range 3 {
				_ = l.AddBot("host", "", nil)
			}
		}, func(l *Lobby) error { return l.Set("host", Settings{Limit: n(3)}) }, BadLimit},
		{"a limit above the map", nil, func(l *Lobby) error { return l.Set("host", Settings{Limit: n(9)}) }, BadLimit},
		{"a list without one who sits there", seated, func(l *Lobby) error { return l.Set("host", Settings{Options: &Options{Whitelist: []string{"Host"}}}) }, BadOption},
		{"a list of all who sit there", seated, func(l *Lobby) error {
			return l.Set("host", Settings{Options: &Options{Whitelist: []string{"guest", "host"}}})
		}, ""},
		{"a smaller map", nil, func(l *Lobby) error { return l.Set("host", Settings{Map: &MapInfo{Name: "Ford", Starts: 2}}) }, ""},
		{"a stranger talks", nil, func(l *Lobby) error { return l.Say("x", "hi") }, NotSeated},
		{"a spectator of a match talks", func(l *Lobby) { _ = l.Sit(guest, true); l.State = Playing }, func(l *Lobby) error { return l.Say("g", "behind you") }, WrongState},
		{"a spectator talks before it", func(l *Lobby) { _ = l.Sit(guest, true) }, func(l *Lobby) error { return l.Say("g", "hi") }, ""},
		{"an empty line", nil, func(l *Lobby) error { return l.Say("host", "  ") }, BadText},
		{"a long line", nil, func(l *Lobby) error { return l.Say("host", strings.Repeat("x", ChatLenMax+1)) }, BadText},
		{"direction marks", nil, func(l *Lobby) error { return l.Say("host", "evil\u202etxt") }, BadText},
		{"an emoji family", nil, func(l *Lobby) error { return l.Say("host", "👨\u200d👩\u200d👧") }, ""},
	} {
		l := room()
		if c.prep != nil {
			c.prep(l)
		}
		err := c.do(l)
		if c.want == "" && err != nil || c.want != "" && !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// Another level of a bot is a change that players agree to.
func TestALevelTakesReadyBack(t *testing.T) {
	l := room()
	if err := errors.Join(l.Sit(Account{ID: "g", Name: "Guest"}, false), l.AddBot("host", EasyBot, nil)); err != nil {
		t.Fatal(err)
	}
	version, ready := l.SettingsVersion, true
	if err := l.Change("g", SeatChange{Ready: &ready, SettingsVersion: &version}); err != nil {
		t.Fatal(err)
	}
	if err := l.SetLevel("host", 2, HardBot); err != nil {
		t.Fatal(err)
	}
	if l.Seats[2].Level != HardBot || !l.Seats[2].Ready || l.Seats[1].Ready || l.SettingsVersion == version {
		t.Errorf("seats %+v, settings %d after %d", l.Seats, l.SettingsVersion, version)
	}
}

// TestLobbyInvariants: the invariants of a lobby hold after any operations in any order.
func TestLobbyInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := room()
		ids := []AccountID{"host", "a", "b", "c", "d", "e"}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			id := rapid.SampledFrom(ids).Draw(t, "who")
			num := rapid.IntRange(-1, 17).Draw(t, "number")
			flag := rapid.Bool().Draw(t, "flag")
			before := len(l.Events)
			var err error
			switch rapid.IntRange(0, 13).Draw(t, "what") {
			case 0:
				err = l.Sit(Account{ID: id, Name: string(id)}, flag)
			case 1:
				err = l.Leave(id)
			case 2:
				err = l.AddBot(id, "", &num)
			case 3:
				err = l.Kick(id, num)
			case 4:
				err = l.Change(id, SeatChange{Team: &num, Ready: &flag, SettingsVersion: &l.SettingsVersion})
			case 5:
				err = l.Change(id, SeatChange{Color: &num})
			case 6:
				if err = l.Begin(id, time.Unix(0, 0)); err == nil && flag {
					_, err = l.Launch("m", 1, time.Unix(1, 0), time.Second)
				}
			case 7:
				err = l.Run("m")
			case 8:
				l.End("m", Outcomes{})
			case 9:
				err = l.Rematch(id)
			case 10:
				err = l.Set(id, Settings{Limit: &num})
			case 11:
				l.Remove(id, "x")
			case 12:
				err = l.SetTeam(id, num, rapid.IntRange(-1, 17).Draw(t, "team"))
			case 13:
				o := l.Options
				o.Teams = rapid.SampledFrom([]string{TeamsEach, TeamsSides, TeamsCoop}).Draw(t, "teams")
				err = l.Set(id, Settings{Options: &o})
			}
			if err != nil && len(l.Events) != before {
				t.Fatalf("a refusal left events: %v", err)
			}
			check(t, l)
		}
	})
}

func check(t *rapid.T, l *Lobby) {
	accounts, slots, colors := map[AccountID]bool{}, map[int]bool{}, map[uint8]bool{}
	last := -1
	for _, s := range l.Seats {
		if s.Place <= last || slots[s.Place] {
			t.Fatalf("seats are not in order: %+v", l.Seats)
		}
		last = s.Place
		slots[s.Place] = true
		if s.Kind == SpectatorSeat != (s.Place >= spectatorPlaces) || s.Kind != SpectatorSeat && s.Place >= l.Limit {
			t.Fatalf("seat %+v of %d", s, l.Limit)
		}
		if (s.Kind == BotSeat) != (s.Account == "") || s.Account != "" && accounts[s.Account] {
			t.Fatalf("seat %+v", s)
		}
		accounts[s.Account] = true
		if s.Kind != SpectatorSeat {
			if colors[s.Color] {
				t.Fatalf("colour %d twice", s.Color)
			}
			colors[s.Color] = true
		}
	}
	if (l.Players() == 0) != (l.State == Closed) {
		t.Fatalf("%d players, state %s", l.Players(), l.State)
	}
	if i := l.SeatOf(l.Host); l.State != Closed && (i < 0 || l.Seats[i].Kind != PlayerSeat) {
		t.Fatalf("host %q does not play", l.Host)
	}
}

func TestOptions(t *testing.T) {
	raw := func(s string) map[string]any {
		var m map[string]any
		if err := json.Unmarshal([]byte(s), &m); err != nil {
			t.Fatal(err)
		}
		return m
	}
	o, err := ParseOptions(DefaultOptions(), raw(`{"seed":"18446744073709551615","ticksPerSecond":5,"occlusion":"none","whitelist":["  Ada  Lovelace "],"revealOnFire":true}`))
	if err != nil || o.Seed != "18446744073709551615" || o.TicksPerSecond != 5 || o.Occlusion != "none" || !o.RevealOnFire || !o.Admits("ada lovelace") || o.Admits("bob") {
		t.Fatalf("%+v %v", o, err)
	}
	for given, field := range map[string]string{
		`{"sped":1}`: "sped", `{"ticksPerSecond":4}`: "ticksPerSecond", `{"ticksPerSecond":61}`: "ticksPerSecond", `{"speedPercent":49}`: "speedPercent", `{"speedPercent":301}`: "speedPercent", `{"ticksPerSecond":"20"}`: "ticksPerSecond",
		`{"ticksPerSecond":20.5}`: "ticksPerSecond", `{"ticksPerSecond":null}`: "ticksPerSecond", `{"seed":-1}`: "seed", `{"seed":"x"}`: "seed", `{"seed":1.5}`: "seed", `{"seed":9007199254740992}`: "seed", `{"seed":"18446744073709551616"}`: "seed",
		`{"mode":""}`: "mode", `{"mode":"../etc"}`: "mode", `{"mode":7}`: "mode", `{"ruleset":"A"}`: "ruleset", `{"occlusion":"some"}`: "occlusion", `{"revealOnFire":1}`: "revealOnFire",
		`{"spectators":33}`: "spectators", `{"spectatorDelay":-1}`: "spectatorDelay", `{"votes":"none"}`: "votes", `{"voteQuorum":49}`: "voteQuorum", `{"voteQuorum":101}`: "voteQuorum",
		`{"voteCooldown":9}`: "voteCooldown", `{"countdownSeconds":31}`: "countdownSeconds",
		`{"abandonMinutes":0}`: "abandonMinutes", `{"abandonMinutes":61}`: "abandonMinutes",
		`{"teams":"three"}`: "teams", `{"teams":true}`: "teams", `{"chatHistory":"yes"}`: "chatHistory",
		`{"bytesPerS":1}`: "bytesPerS", `{"bytesPerS":511}`: "bytesPerS", `{"bytesPerS":-1}`: "bytesPerS", `{"bytesPerS":1073741825}`: "bytesPerS", `{"bytesPerS":"4000"}`: "bytesPerS",
		`{"timeLimitMinutes":241}`: "timeLimitMinutes", `{"timeLimitMinutes":-1}`: "timeLimitMinutes", `{"scoreLimit":1000001}`: "scoreLimit", `{"scoreLimit":"10"}`: "scoreLimit",
		`{"whitelist":"Ada"}`: "whitelist", `{"whitelist":["<b>"]}`: "whitelist", `{"zz":1,"aa":2}`: "aa",
	} {
		_, err := ParseOptions(DefaultOptions(), raw(given))
		if e := AsError(err); err == nil || e.Code != BadOption || e.Field != field {
			t.Errorf("%s: %v", given, err)
		}
	}
	for _, given := range []string{`{"bytesPerS":0}`, `{"bytesPerS":512}`, `{"bytesPerS":1073741824}`, `{"teams":"coop"}`, `{"teams":"sides"}`, `{"chatHistory":true}`} {
		if _, err := ParseOptions(DefaultOptions(), raw(given)); err != nil {
			t.Errorf("%s: %v", given, err)
		}
	}
	many := `{"whitelist":[` + strings.Repeat(`"Ada",`, WhitelistMax) + `"Ada"]}`
	if _, err := ParseOptions(DefaultOptions(), raw(many)); !errors.Is(err, BadOption) {
		t.Errorf("a whitelist too long: %v", err)
	}
	// Every option has a field of the same name, and the other way round.
	text, _ := json.Marshal(DefaultOptions())
	fields := raw(string(text))
	for _, name := range OptionNames() {
		if _, ok := fields[name]; !ok {
			t.Errorf("option %s has no field", name)
		}
		delete(fields, name)
	}
	if len(fields) != 0 {
		t.Errorf("fields without an option: %v", fields)
	}
}

func TestNames(t *testing.T) {
	for in, want := range map[string]string{"Ada": "Ada", "  Ada   Lovelace ": "Ada Lovelace", "Łukasz": "Łukasz", "山田": "山田", "x-1_y.z": "x-1_y.z", "Ａｄａ": "Ada", "Ada Ⅳ": "Ada IV", "cafe\u0301": "café", "Иван 2": "Иван 2", "山田 taro": "山田 taro", "ﬁne": "fine"} {
		if got, err := CleanName(in); err != nil || got != want {
			t.Errorf("%q: %q %v", in, got, err)
		}
	}
	for _, in := range []string{"", "a", "--", "a\u200bb", "ab\u202e", "<b>", "a@b", "a\nb\x00", "x\u0301x", "Аda", "Αda", "Иvan", strings.Repeat("x", 25), "\xff\xff"} {
		if _, err := CleanName(in); !errors.Is(err, BadName) {
			t.Errorf("%q was taken", in)
		}
	}
	for _, in := range []string{
		"Server", "ADMIN", " fogkeep ", "ｓｅｒｖｅｒ", "admin.", "a.d-m_i n", "\u0405\u0423\u0405\u0422\u0415\u041c" /* Cyrillic */, "adm1n", "AdmIn", "aDMlN",
		"r00t", "m\u00f3d", "S-Y-S-T-E-M", "st\u00e4ff",
		"Bot", "Bot B", "bot b", "B0t-B", "BotM", "b\u00f3t m", "Bot Z3", "Bot A2", "Bot 1", "Guest", "Guest 1", "guest 1001", "Gu\u00e9st \u0663", "\u0412\u041e\u0422 \u0410" /* Cyrillic */, "\u0392\u039f\u03a4 B",
	} {
		if _, err := CleanPlayerName(in); !errors.Is(err, BadName) {
			t.Errorf("a player is called %q", in)
		}
	}
	for _, in := range []string{"Adam", "Modena", "Rooster", "Systema", "Иван", "Botany", "Robot 7", "Bottle", "Bot Bob", "Guesthouse", "Guest of 7", "Player 1"} {
		if _, err := CleanPlayerName(in); err != nil {
			t.Errorf("%q: %v", in, err)
		}
	}
	for in, ok := range map[string]bool{"": true, "a@b.c": true, " A@B.org ": true, "a@b": false, "@b.c": false, "a b@c.d": false, "a@b@c.d": false, strings.Repeat("x", 250) + "@b.org": false} {
		if _, err := CleanEmail(in); (err == nil) != ok {
			t.Errorf("%q: %v", in, err)
		}
	}
}

func TestErrorsAreCodes(t *testing.T) {
	wrapped := fmt.Errorf("while joining: %w", Refuse(LobbyFull, "no room"))
	if !errors.Is(wrapped, LobbyFull) || errors.Is(wrapped, LobbyClosed) || AsError(wrapped).Code != LobbyFull {
		t.Error("a wrapped refusal is not its code")
	}
	if e := AsError(ErrUnavailable); e.Code != Unavailable || e.RetryAfter == 0 {
		t.Errorf("%+v", e)
	}
	if e := AsError(errors.New("odd")); e.Code != Internal || strings.Contains(problemText(e), "odd") {
		t.Errorf("%+v", e)
	}
	if AsError(nil) != nil {
		t.Error("nil is an error")
	}
}

// problemText is the client's text of an error: never its cause.
func problemText(e *Error) string { return e.Detail + e.Code.Info().Text }
