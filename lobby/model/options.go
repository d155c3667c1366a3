package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fogkeep/fogkeep/match/grid"
)

// Options is how a match is played; [OptionTable] says what each may be. The
// zero value of a field that has a default never leaves [ParseOptions].
type Options struct {
	Mode             string   `json:"mode"`             // the game mode; the match service knows which there are
	Ruleset          string   `json:"ruleset"`          // the table of units and rules
	SpeedPercent     int      `json:"speedPercent"`     // how fast the match runs at first, in percent of the normal speed
	TicksPerSecond   int      `json:"ticksPerSecond"`   // ticks in a second of match time: how fine it is, not how fast
	TimeLimitMinutes int      `json:"timeLimitMinutes"` // when the higher score wins; 0: never
	AbandonMinutes   int      `json:"abandonMinutes"`   // a match that no player is connected to ends after so long
	ScoreLimit       int      `json:"scoreLimit"`       // the score that wins, in modes that have one; 0: no limit
	Seed             string   `json:"seed,omitempty"`   // decimal uint64; "0" draws one at the start. Text, since JSON numbers lose bits. The server shows a drawn seed to no client: with it a player can foresee the match's luck. It shows a seed that the host fixed to everybody, who can then foresee it alike
	Occlusion        string   `json:"occlusion"`        // "map": as the map says
	RevealOnFire     bool     `json:"revealOnFire"`     // a unit that shoots shows itself for the time in the ruleset
	Spectators       int      `json:"spectators"`       // spectator seats
	SpectatorDelay   int      `json:"spectatorDelay"`   // seconds that spectators are behind; with 0 a friend can tell a player hidden facts
	CountdownSeconds int      `json:"countdownSeconds"` // between the host's start and the match
	Teams            string   `json:"teams"`            // which team who sits down gets; see [Lobby.teamFor]
	ChatHistory      bool     `json:"chatHistory"`      // who sits down later is sent the chat from before
	BytesPerS        int      `json:"bytesPerS"`        // the host's [Budget] from the start of the match; 0: as the server is configured
	Replays          string   `json:"replays"`          // the right to watch the match once it is over; see [Match.Access]
	Votes            string   `json:"votes"`            // what players vote on, besides the match's speed
	VoteQuorum       int      `json:"voteQuorum"`       // a question needs more than so many percent of the votes; 100: all
	VoteCooldown     int      `json:"voteCooldown"`     // seconds between the end of a player's question and its next
	Leavers          string   `json:"leavers"`          // the rule for the seat of a player who is gone
	OpenOtherTeams   bool     `json:"openOtherTeams"`   // the host may open seats of other teams in the running match, see [Lobby.MayOpen]
	Whitelist        []string `json:"whitelist"`        // names that may come in; empty: everyone
}

// The values of [Options.Teams].
const (
	TeamsEach  = "each"  // everybody has a team of its own
	TeamsSides = "sides" // two teams, of the same size
	TeamsCoop  = "coop"  // the people in the first team, the bots in the second
)

// LeaversRules is the value of [Options.Leavers] that leaves the seats of players who are gone
// to the ruleset.
const LeaversRules = "rules"

// The values of [Options.Votes].
const (
	VotesAll   = "all"   // in the match: a remake, the surrender of a team, the removal of a team-mate
	VotesLobby = "lobby" // the same, and in the lobby: its settings, the start, the removal of a player
	VotesSpeed = "speed" // speed and pauses alone
)

// The values of [Options.Replays].
const (
	ReplaysOff          = "off"          // no account
	ReplaysParticipants = "participants" // who had a seat, spectators too
	ReplaysLink         = "link"         // and everyone with the link
	ReplaysListed       = "listed"       // and everyone who finds it in the catalogue, while all players share replays
)

// Limits of options.
const (
	SpectatorsMax       = 32
	SpectatorDelayMax   = 600
	CountdownSecondsMax = 30
	TimeLimitMinutesMax = 240
	AbandonMinutesMax   = 60
	AbandonMinutes      = 5 // unless the options say otherwise
	ScoreLimitMax       = 1_000_000
	WhitelistMax        = 64
	ColorsMax           = 16
	VoteCooldownMax     = 600
	VoteQuorum          = 66 // unless the options say otherwise
	VoteCooldown        = 60 // likewise
)

// Option describes one option once: how it is read from a request, its text in the API's document, and how the
// host's form shows it.
type Option struct {
	Name string // in requests and answers
	Text string // the description in the API's document
	// Min and Max bound a whole number.
	Min, Max int
	// Values are the named values: all values of a text option; for a number the values
	// that the form offers.
	Values []OptionValue
	// Open is set if other texts than Values are read too: the match service
	// knows the permitted ones.
	Open bool

	Label string   // in the host's form; "": the form does not show it
	Modes []string // the modes that have it; empty: all

	// Settled is set if a match that is played on, or a scenario, has settled the option.
	Settled bool
	Term    string // the word by which the match refuses it; "": never

	of   func(*Options) any                    // where it is kept: *int, *string, *bool or *[]string
	read func(*Options, json.RawMessage) error // nil: by the type of of's result
}

// OptionValue is a named value of an option.
type OptionValue struct {
	Value string
	Label string // in the host's form
}

// Value returns a pointer to the option in o: *int, *string, *bool or
// *[]string.
func (d *Option) Value(o *Options) any { return d.of(o) }

// OptionTable lists the options in the order of the host's form.
var OptionTable = []Option{
	{
		Name: "mode", Text: "the game mode, see GET /api/modes and docs/reference/rules.md", Label: "Mode", Open: true,
		Values:  []OptionValue{{"skirmish", "Skirmish"}, {"deathmatch", "Deathmatch"}},
		Settled: true, Term: "mode",
		of: func(o *Options) any { return &o.Mode },
	},
	{
		Name: "ruleset", Text: "the table of units and rules, see GET /api/rulesets", Open: true, Label: "Ruleset", Settled: true,
		of: func(o *Options) any { return &o.Ruleset },
	},
	{
		Name: "teams", Text: "the team of players who sit down; a change assigns all teams again", Label: "Teams", Settled: true,
		Values: []OptionValue{{TeamsEach, "Everyone for themselves"}, {TeamsSides, "Two teams"}, {TeamsCoop, "Together against bots"}},
		of:     func(o *Options) any { return &o.Teams },
	},
	{
		Name: "scoreLimit", Text: "the score that wins, in modes with a score; 0: unlimited", Max: ScoreLimitMax,
		Label: "Score limit (0: unlimited)", Modes: []string{"deathmatch"},
		Settled: true, Term: "score limit",
		of: func(o *Options) any { return &o.ScoreLimit },
	},
	{
		Name: "speedPercent", Text: "how fast the match runs at first, in percent; players can change it together", Min: 50, Max: 300,
		Label: "Speed", Values: []OptionValue{{"50", "Half"}, {"100", "Normal"}, {"150", "Fast"}, {"200", "Double"}, {"300", "Triple"}},
		Term: "speed",
		of:   func(o *Options) any { return &o.SpeedPercent },
	},
	{
		Name: "ticksPerSecond", Text: "ticks per second of match time: more make it finer, not faster", Min: grid.TickRateMin, Max: grid.TickRateMax,
		Settled: true, Term: "tick rate",
		of: func(o *Options) any { return &o.TicksPerSecond },
	},
	{
		Name: "occlusion", Text: "how terrain hides tiles; \"map\": the map's setting", Label: "Line of sight", Settled: true,
		Values: []OptionValue{
			{"map", "As the map says"}, {"none", "Nothing blocks it"}, {"high-ground", "High ground blocks it"}, {"line-of-sight", "High ground and cliffs block it"},
		},
		of: func(o *Options) any { return &o.Occlusion },
	},
	{
		Name: "timeLimitMinutes", Text: "when the higher score wins; 0: never", Max: TimeLimitMinutesMax,
		Label:   "Time limit in minutes (0: unlimited)",
		Settled: true, Term: "time limit",
		of: func(o *Options) any { return &o.TimeLimitMinutes },
	},
	{
		Name: "abandonMinutes", Text: "a match that no player is connected to ends after so long, and after one minute if no player can come back", Min: 1, Max: AbandonMinutesMax,
		Settled: true, Term: "abandon time",
		of: func(o *Options) any { return &o.AbandonMinutes },
	},
	{
		Name: "seed", Text: "decimal, to 2^64-1, as text; \"0\": the server draws one", Settled: true,
		of: func(o *Options) any { return &o.Seed }, read: readSeed,
	},
	{
		Name: "revealOnFire", Text: "a unit that shoots shows itself for the time in the ruleset",
		Settled: true,
		of:      func(o *Options) any { return &o.RevealOnFire },
	},
	{
		Name: "spectators", Text: "seats to watch from", Max: SpectatorsMax, Label: "Spectator seats",
		of: func(o *Options) any { return &o.Spectators },
	},
	{
		Name: "spectatorDelay", Text: "seconds that spectators are behind", Max: SpectatorDelayMax, Label: "Spectator delay in seconds",
		of: func(o *Options) any { return &o.SpectatorDelay },
	},
	{
		Name: "replays", Text: "the audience of the replay: no one, the participants, also everyone with its link, or also everyone who finds it in the catalogue. The catalogue has it while each player shares replays", Label: "Replay",
		Values: []OptionValue{{ReplaysParticipants, "For participants"}, {ReplaysLink, "For everyone with the link"}, {ReplaysListed, "In the catalogue, if all players agree"}, {ReplaysOff, "For no one"}},
		of:     func(o *Options) any { return &o.Replays },
	},
	{
		Name: "leavers", Text: "the seat of a player who left or is away for longer than a minute: as the ruleset says, a team-mate has the units, a bot plays until the player is back, the units stand idle, or the player is out", Label: "When a player leaves",
		Values: []OptionValue{
			{LeaversRules, "As the rules say"}, {"ally", "A team-mate takes over"}, {"bot-easy", "An easy bot plays on"}, {"bot-medium", "A medium bot plays on"},
			{"bot-hard", "A hard bot plays on"}, {"freeze", "The units stand still"}, {"defeat", "The player is out"},
		},
		Settled: true,
		of:      func(o *Options) any { return &o.Leavers },
	},
	{
		Name: "votes", Text: "the questions that players vote on: in the match a remake in its first three minutes, the surrender of their team, and the removal of a team-mate; the same, and in the lobby its settings, the start, and the removal of a player; or speed and pauses of the match alone", Label: "Votes",
		Values: []OptionValue{{VotesAll, "Remake, surrender, removal"}, {VotesLobby, "The same, and settings and start in the lobby"}, {VotesSpeed, "Speed and pauses alone"}},
		of:     func(o *Options) any { return &o.Votes },
	},
	{
		Name: "voteQuorum", Text: "a question passes with more than so many percent of the votes; 100: with all", Min: 50, Max: 100, Label: "Votes needed",
		Values: []OptionValue{{"50", "More than half"}, {"66", "Two thirds"}, {"100", "All"}},
		of:     func(o *Options) any { return &o.VoteQuorum },
	},
	{
		Name: "voteCooldown", Text: "seconds between the end of a player's question and its next one", Min: 10, Max: VoteCooldownMax,
		of: func(o *Options) any { return &o.VoteCooldown },
	},
	{
		Name: "openOtherTeams", Text: "while the match runs, the host may let others take over seats of other teams, as with its own team: a bot's seat, or an absent player's",
		Label: "The host may open seats of other teams in the match",
		of:    func(o *Options) any { return &o.OpenOtherTeams },
	},
	{
		Name: "chatHistory", Text: "players who sit down later get the lobby's chat from the time in which this was on", Label: "Show earlier chat to players who join later",
		of: func(o *Options) any { return &o.ChatHistory },
	},
	{
		Name: "bytesPerS", Text: "most bytes of payload per second to each connection of the match, 512 or more, and at most the server's setting; 0: the server's setting", Max: BytesPerSMax,
		Label: "Data limit for each player", Values: []OptionValue{{"0", "As the server allows"}, {"16000", "16 KB per second"}, {"8000", "8 KB per second"}, {"4000", "4 KB per second"}},
		of: func(o *Options) any { return &o.BytesPerS }, read: readBytesPerS,
	},
	{
		Name: "countdownSeconds", Text: "between the host's start and the match", Max: CountdownSecondsMax,
		of: func(o *Options) any { return &o.CountdownSeconds },
	},
	{
		Name: "whitelist", Text: "names that may come in; empty: everyone",
		of: func(o *Options) any { return &o.Whitelist }, read: readWhitelist,
	},
}

// DefaultOptions is a match without any wishes.
func DefaultOptions() Options {
	return Options{
		Mode: "skirmish", Ruleset: "skirmish", SpeedPercent: 100, TicksPerSecond: grid.TickRateDefault, AbandonMinutes: AbandonMinutes,
		Seed: "0", Occlusion: "map", Teams: TeamsEach, RevealOnFire: true, Spectators: 4, SpectatorDelay: 60, Replays: ReplaysParticipants, Leavers: LeaversRules, Votes: VotesAll, VoteQuorum: VoteQuorum, VoteCooldown: VoteCooldown, Whitelist: []string{},
	}
}

// parse reads the option's value from a request. The error names the expected value.
func (d *Option) parse(o *Options, raw json.RawMessage) error {
	if d.read != nil {
		return d.read(o, raw)
	}
	switch into := d.of(o).(type) {
	case *int:
		n, err := strconv.Atoi(string(bytes.TrimSpace(raw)))
		if err != nil || n < d.Min || n > d.Max {
			return fmt.Errorf("must be a whole number from %d to %d", d.Min, d.Max)
		}
		*into = n
	case *bool:
		if json.Unmarshal(raw, into) != nil {
			return fmt.Errorf("must be true or false")
		}
	case *string:
		if d.Open {
			return word(raw, into)
		}
		return d.oneOf(raw, into)
	default:
		panic("lobby: option " + d.Name + " has an unknown type")
	}
	return nil
}

func readSeed(o *Options, raw json.RawMessage) error {
	var text string
	plain := json.Unmarshal(raw, &text) != nil
	if plain {
		text = string(raw)
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || (plain && n >= 1<<53) { // on the way here it may have lost bits
		return fmt.Errorf("must be a whole number from 0 to 2^64-1, as text from 2^53 on")
	}
	o.Seed = strconv.FormatUint(n, 10)
	return nil
}

func readBytesPerS(o *Options, raw json.RawMessage) error {
	n, err := strconv.Atoi(string(bytes.TrimSpace(raw)))
	if b := (Budget{BytesPerS: n}); err != nil || b.Validate() != nil {
		return fmt.Errorf("must be 0 or a whole number from %d to %d", BytesPerSMin, BytesPerSMax)
	}
	o.BytesPerS = n
	return nil
}

func readWhitelist(o *Options, raw json.RawMessage) error {
	var names []string
	if json.Unmarshal(raw, &names) != nil || len(names) > WhitelistMax {
		return fmt.Errorf("must be a list of at most %d names", WhitelistMax)
	}
	clean := make([]string, 0, len(names))
	for _, name := range names {
		name, err := CleanName(name)
		if err != nil {
			return fmt.Errorf("contains an invalid name")
		}
		clean = append(clean, name)
	}
	o.Whitelist = clean
	return nil
}

// OptionNames lists the options there are, in order of the alphabet.
func OptionNames() []string {
	names := make([]string, 0, len(OptionTable))
	for i := range OptionTable {
		names = append(names, OptionTable[i].Name)
	}
	slices.Sort(names)
	return names
}

// ParseOptions reads the options that differ from base. An unknown option, or
// a value out of range, is refused with the option's name; of several, the
// first in the alphabet is named.
func ParseOptions(base Options, values map[string]any) (Options, error) {
	o := base
	for _, name := range slices.Sorted(maps.Keys(values)) {
		i := slices.IndexFunc(OptionTable, func(d Option) bool { return d.Name == name })
		if i < 0 {
			return base, RefuseField(BadOption, CutText(name, 40), "unknown option; the options are %s", strings.Join(OptionNames(), ", "))
		}
		raw, err := json.Marshal(values[name])
		if err != nil {
			return base, err
		}
		if err := OptionTable[i].parse(&o, raw); err != nil {
			return base, RefuseField(BadOption, name, "%s", err)
		}
	}
	return o, nil
}

// Admits reports whether the whitelist lets the name in.
func (o Options) Admits(name string) bool {
	return len(o.Whitelist) == 0 || slices.ContainsFunc(o.Whitelist, func(n string) bool {
		return LoginKey(n) == LoginKey(name)
	})
}

func word(raw json.RawMessage, into *string) error {
	var text string
	if json.Unmarshal(raw, &text) != nil || text == "" || len(text) > 40 || strings.Trim(text, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
		return fmt.Errorf("must be a word of at most 40 lowercase letters, digits, - and _")
	}
	*into = text
	return nil
}

// oneOf reads one of the named values.
func (d *Option) oneOf(raw json.RawMessage, into *string) error {
	var text string
	words := make([]string, 0, len(d.Values))
	for _, v := range d.Values {
		words = append(words, v.Value)
	}
	if json.Unmarshal(raw, &text) != nil || !slices.Contains(words, text) {
		return fmt.Errorf("must be one of %s", strings.Join(words, ", "))
	}
	*into = text
	return nil
}

// CutText shortens a client's text before it is stored or repeated to
// anyone, and takes out characters that a database would refuse.
func CutText(s string, lenMax int) string {
	r := []rune(strings.ReplaceAll(strings.ToValidUTF8(s, "?"), "\x00", "?"))
	if len(r) > lenMax {
		return string(r[:lenMax]) + "..."
	}
	return string(r)
}

// Budget limits the bytes per second to connections of a match.
type Budget struct {
	BytesPerS int
	Operator  bool // an admin says so; else the host, who can only ask for less than is configured
	Start     *int // one player's; nil: all
}

// The bounds of a budget; 0 is as it is configured.
const (
	BytesPerSMin = 512
	BytesPerSMax = 1 << 30
)

// Validate refuses a budget out of its bounds.
func (b *Budget) Validate() error {
	if b.BytesPerS != 0 && (b.BytesPerS < BytesPerSMin || b.BytesPerS > BytesPerSMax) {
		return RefuseField(BadRequest, "bytesPerS", "must be 0 or %d to %d", BytesPerSMin, BytesPerSMax)
	}
	return nil
}
