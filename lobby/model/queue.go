package model

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/lobby/matchmaking"
)

// Queue is one kind of match for which players wait. Operators write it as JSON,
// see docs/matchmaking.md.
type Queue struct {
	ID       string `json:"id"`       // a word: lowercase letters, digits, dashes
	Name     string `json:"name"`     // as shown
	TeamSize int    `json:"teamSize"` // players of each of the two teams
	// Maps are ids of maps; each match draws a map from them. Empty: the maps with as
	// many start points as players, or else with more.
	Maps []string `json:"maps,omitempty"`
	// Options of the lobby that differ from the default: mode, ruleset and so on.
	Options map[string]any `json:"options,omitempty"`
	// BotAfterSeconds is the wait until bots take the places without players; 0: never.
	// Such a match is not rated.
	BotAfterSeconds int                `json:"botAfterSeconds,omitempty"`
	BotLevel        BotLevel           `json:"botLevel,omitempty"` // "": medium
	Unrated         bool               `json:"unrated,omitempty"`  // no ratings, no leaderboard
	Width           *matchmaking.Width `json:"width,omitempty"`
}

// Limits of queues.
const (
	QueuesMax        = 16
	QueuedMax        = 1000 // parties that wait in one queue
	botAfterMost     = 3600 // seconds
	queueNameLenMax  = 40
	queuesBytesMax   = 64 << 10
	queueMapsMax     = 64
	widthMost        = 10_000
	widthMostPerSec  = 1_000
	queueOptionsMost = 32
)

// DefaultQueues are the queues of a server without a setting of its own.
func DefaultQueues() []Queue {
	return []Queue{{ID: "1v1", Name: "1 v 1", TeamSize: 1}, {ID: "2v2", Name: "2 v 2", TeamSize: 2, Options: map[string]any{"teams": TeamsSides}}}
}

var queueID = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)

// ParseQueues reads queues as operators write them: {"queues": [...]}.
func ParseQueues(raw []byte) ([]Queue, error) {
	if len(raw) > queuesBytesMax {
		return nil, fmt.Errorf("more than %d bytes", queuesBytesMax)
	}
	var file struct {
		Queues []Queue `json:"queues"`
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	d.UseNumber() // so that options keep their digits
	if err := d.Decode(&file); err != nil {
		return nil, err
	}
	if len(file.Queues) > QueuesMax {
		return nil, fmt.Errorf("more than %d queues", QueuesMax)
	}
	seen := map[string]bool{}
	for i, q := range file.Queues {
		if err := q.validate(); err != nil {
			return nil, fmt.Errorf("queue %d, %q: %w", i+1, q.ID, err)
		}
		if seen[q.ID] {
			return nil, fmt.Errorf("queue %d: the id %q is there twice", i+1, q.ID)
		}
		seen[q.ID] = true
	}
	return file.Queues, nil
}

func (q *Queue) validate() error {
	if !queueID.MatchString(q.ID) {
		return fmt.Errorf("id: want a word of at most 32 lowercase letters, digits and dashes")
	}
	if _, err := CleanLine(BadName, "name", q.Name, queueNameLenMax); err != nil {
		return err
	}
	if q.TeamSize < 1 || q.TeamSize > matchmaking.TeamSizeMax {
		return fmt.Errorf("teamSize: want 1 to %d", matchmaking.TeamSizeMax)
	}
	if len(q.Maps) > queueMapsMax || len(q.Options) > queueOptionsMost {
		return fmt.Errorf("more than %d maps, or %d options", queueMapsMax, queueOptionsMost)
	}
	if q.BotAfterSeconds < 0 || q.BotAfterSeconds > botAfterMost {
		return fmt.Errorf("botAfterSeconds: want 0 (never) to %d", botAfterMost)
	}
	if q.BotLevel != "" && !slices.Contains(BotLevels(), q.BotLevel) {
		return fmt.Errorf("botLevel: want one of %v", BotLevels())
	}
	if w := q.Width; w != nil && (w.Start < 0 || w.Start > widthMost || w.PerSecond < 0 || w.PerSecond > widthMostPerSec || w.Most < 0 || w.Most > widthMost) {
		return fmt.Errorf("width: want start and most 0 to %d, perSecond 0 to %d", widthMost, widthMostPerSec)
	}
	return nil
}

// Players is how many play in a match.
func (q *Queue) Players() int { return 2 * q.TeamSize }

// Rules are the queue's, for pairing.
func (q *Queue) Rules() matchmaking.Rules {
	r := matchmaking.Rules{TeamSize: q.TeamSize, Width: matchmaking.DefaultWidth(), BotAfter: time.Duration(q.BotAfterSeconds) * time.Second}
	if q.Width != nil {
		r.Width = *q.Width
	}
	return r
}

// MapsAmong lists the maps from which a match draws.
func (q *Queue) MapsAmong(all []MapInfo) []MapInfo {
	pick := func(fits func(MapInfo) bool) []MapInfo {
		return slices.DeleteFunc(slices.Clone(all), func(m MapInfo) bool { return !fits(m) })
	}
	if len(q.Maps) > 0 {
		return pick(func(m MapInfo) bool { return slices.Contains(q.Maps, m.ID) })
	}
	if just := pick(func(m MapInfo) bool { return m.Starts == q.Players() }); len(just) > 0 {
		return just
	}
	return pick(func(m MapInfo) bool { return m.Starts > q.Players() })
}

// LevelOfBots is the level of the bots that fill a match.
func (q *Queue) LevelOfBots() BotLevel { return cmp.Or(q.BotLevel, MediumBot) }
