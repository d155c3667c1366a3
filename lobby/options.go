package lobby

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/fogkeep/fogkeep/match/grid"
)

// Options is how a match is played, within [OptionRanges]. The zero value of a field that has a
// default never leaves [ParseOptions].
type Options struct {
	Mode             string   `json:"mode"`             // the game mode; the match service knows which there are
	Ruleset          string   `json:"ruleset"`          // the table of units and rules
	TicksPerSecond   int      `json:"ticksPerSecond"`   // speed
	TimeLimitMinutes int      `json:"timeLimitMinutes"` // when the higher score wins; 0: never
	AbandonMinutes   int      `json:"abandonMinutes"`   // a match that no person is connected to ends after so long
	ScoreLimit       int      `json:"scoreLimit"`       // the score that wins, in modes that have one; 0: none
	Seed             string   `json:"seed,omitempty"`   // decimal uint64; "0" draws one at the start. Text, since JSON numbers lose bits. One that the server draws is told to nobody: who knows it can foresee the match's luck. One that the host fixed is told to everybody, who can then foresee it alike
	Occlusion        string   `json:"occlusion"`        // one of OptionWords; "map": as the map says
	RevealOnFire     bool     `json:"revealOnFire"`     // who shoots shows itself for as long as the ruleset says
	Spectators       int      `json:"spectators"`       // spectator seats
	SpectatorDelay   int      `json:"spectatorDelay"`   // seconds that spectators are behind; with 0 a player's friend can tell it what it must not see
	CountdownSeconds int      `json:"countdownSeconds"` // between the host's start and the match
	Whitelist        []string `json:"whitelist"`        // names that may come in; empty: everyone
}

// Limits of options.
const (
	SpectatorsMax       = 16
	SpectatorDelayMax   = 600
	CountdownSecondsMax = 30
	TimeLimitMinutesMax = 240
	AbandonMinutesMax   = 60
	AbandonMinutes      = 5 // unless the options say otherwise
	ScoreLimitMax       = 1_000_000
	WhitelistMax        = 64
	ColorsMax           = 16
)

// OptionRanges are the least and the greatest value of options that are whole
// numbers. The API's documents take them from here.
var OptionRanges = map[string][2]int{
	"ticksPerSecond":   {grid.TickRateMin, grid.TickRateMax},
	"timeLimitMinutes": {0, TimeLimitMinutesMax},
	"abandonMinutes":   {1, AbandonMinutesMax},
	"scoreLimit":       {0, ScoreLimitMax},
	"spectators":       {0, SpectatorsMax},
	"spectatorDelay":   {0, SpectatorDelayMax},
	"countdownSeconds": {0, CountdownSecondsMax},
}

// OptionWords are the values of options that are one of a list.
var OptionWords = map[string][]string{
	"occlusion": {"map", "none", "high-ground", "line-of-sight"},
}

// OptionTexts say what each option is.
var OptionTexts = map[string]string{
	"mode":             "the game mode, see docs/rules.md",
	"ruleset":          "the table of units and rules",
	"ticksPerSecond":   "speed of the match",
	"timeLimitMinutes": "when the higher score wins; 0: never",
	"abandonMinutes":   "a match that no person is connected to ends after so long",
	"scoreLimit":       "the score that wins, in modes that have one; 0: none",
	"seed":             "decimal, to 2^64-1, as text; \"0\": the server draws one",
	"occlusion":        "what hides tiles; \"map\": what the map says",
	"revealOnFire":     "who shoots shows itself for as long as the ruleset says",
	"spectators":       "seats to watch from",
	"spectatorDelay":   "seconds that spectators are behind",
	"countdownSeconds": "between the host's start and the match",
	"whitelist":        "names that may come in; empty: everyone",
}

// DefaultOptions is a match without any wishes.
func DefaultOptions() Options {
	return Options{
		Mode: "skirmish", Ruleset: "skirmish", TicksPerSecond: grid.TickRateDefault, AbandonMinutes: AbandonMinutes,
		Seed: "0", Occlusion: "map", RevealOnFire: true, Spectators: 4, SpectatorDelay: 60, Whitelist: []string{},
	}
}

// optionRows reads one option each; the row's error is what was expected.
var optionRows = map[string]func(*Options, json.RawMessage) error{
	"mode":    func(o *Options, raw json.RawMessage) error { return word(raw, &o.Mode) },
	"ruleset": func(o *Options, raw json.RawMessage) error { return word(raw, &o.Ruleset) },
	"ticksPerSecond": func(o *Options, raw json.RawMessage) error {
		return whole(raw, &o.TicksPerSecond, "ticksPerSecond")
	},
	"timeLimitMinutes": func(o *Options, raw json.RawMessage) error {
		return whole(raw, &o.TimeLimitMinutes, "timeLimitMinutes")
	},
	"abandonMinutes": func(o *Options, raw json.RawMessage) error {
		return whole(raw, &o.AbandonMinutes, "abandonMinutes")
	},
	"scoreLimit": func(o *Options, raw json.RawMessage) error {
		return whole(raw, &o.ScoreLimit, "scoreLimit")
	},
	"seed": func(o *Options, raw json.RawMessage) error {
		var text string
		plain := json.Unmarshal(raw, &text) != nil
		if plain {
			text = string(raw)
		}
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil || (plain && n >= 1<<53) { // on the way here it may have lost bits
			return fmt.Errorf("is a whole number from 0 to 2^64-1; from 2^53 on as text")
		}
		o.Seed = strconv.FormatUint(n, 10)
		return nil
	},
	"occlusion": func(o *Options, raw json.RawMessage) error {
		return oneOf(raw, &o.Occlusion, OptionWords["occlusion"]...)
	},
	"revealOnFire": func(o *Options, raw json.RawMessage) error {
		if json.Unmarshal(raw, &o.RevealOnFire) != nil {
			return fmt.Errorf("is true or false")
		}
		return nil
	},
	"spectators": func(o *Options, raw json.RawMessage) error {
		return whole(raw, &o.Spectators, "spectators")
	},
	"spectatorDelay": func(o *Options, raw json.RawMessage) error {
		return whole(raw, &o.SpectatorDelay, "spectatorDelay")
	},
	"countdownSeconds": func(o *Options, raw json.RawMessage) error {
		return whole(raw, &o.CountdownSeconds, "countdownSeconds")
	},
	"whitelist": func(o *Options, raw json.RawMessage) error {
		var names []string
		if json.Unmarshal(raw, &names) != nil || len(names) > WhitelistMax {
			return fmt.Errorf("is a list of at most %d names", WhitelistMax)
		}
		clean := make([]string, 0, len(names))
		for _, name := range names {
			name, err := CleanName(name)
			if err != nil {
				return fmt.Errorf("holds something that is not a name")
			}
			clean = append(clean, name)
		}
		o.Whitelist = clean
		return nil
	},
}

// OptionNames lists the options there are, in order of the alphabet.
func OptionNames() []string {
	names := make([]string, 0, len(optionRows))
	for name := range optionRows {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// ParseOptions reads the options that differ from base. An unknown option, or
// a value out of range, is refused with the option's name; of several, the
// first in the alphabet is named.
func ParseOptions(base Options, given map[string]json.RawMessage) (Options, error) {
	names := make([]string, 0, len(given))
	for name := range given {
		names = append(names, name)
	}
	sort.Strings(names)
	o := base
	for _, name := range names {
		row, ok := optionRows[name]
		if !ok {
			return base, refuseField(BadOption, cutText(name, 40), "there is no such option; there are %s", strings.Join(OptionNames(), ", "))
		}
		if err := row(&o, given[name]); err != nil {
			return base, refuseField(BadOption, name, "%s", err)
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
		return fmt.Errorf("is a word of at most 40 small letters, digits, - and _")
	}
	*into = text
	return nil
}

func oneOf(raw json.RawMessage, into *string, words ...string) error {
	var text string
	if json.Unmarshal(raw, &text) != nil || !slices.Contains(words, text) {
		return fmt.Errorf("is one of %s", strings.Join(words, ", "))
	}
	*into = text
	return nil
}

// whole reads an option that has a range.
func whole(raw json.RawMessage, into *int, name string) error {
	lo, hi := OptionRanges[name][0], OptionRanges[name][1]
	n, err := strconv.Atoi(string(bytes.TrimSpace(raw)))
	if err != nil || n < lo || n > hi {
		return fmt.Errorf("is a whole number from %d to %d", lo, hi)
	}
	*into = n
	return nil
}

// cutText shortens what a client sent before it is stored or repeated to
// anyone, and takes out what a database would not take.
func cutText(s string, lenMax int) string {
	r := []rune(strings.ReplaceAll(strings.ToValidUTF8(s, "?"), "\x00", "?"))
	if len(r) > lenMax {
		return string(r[:lenMax]) + "..."
	}
	return string(r)
}
