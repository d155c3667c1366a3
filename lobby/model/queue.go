package model

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/lobby/matchmaking"
)

// Queue is one kind of match for which players wait. Operators write it as JSON,
// see docs/reference/matchmaking.md.
type Queue struct {
	ID       string `json:"id"`       // a word: lowercase letters, digits, dashes
	Name     string `json:"name"`     // as shown
	TeamSize int    `json:"teamSize"` // players of each of the two teams
	// Maps are ids of maps; each match draws a map from them. Empty: the maps with as
	// many start points as players, or else with more.
	Maps []string `json:"maps,omitempty"`
	// MapsPerWeek is how many of the maps make the pool of a week, in turn; 0: all.
	MapsPerWeek int `json:"mapsPerWeek,omitempty"`
	// Vetoes is how many maps of the pool a party may strike out of a search. A team of several parties has no more.
	Vetoes int `json:"vetoes,omitempty"`
	// Options of the lobby that differ from the default: mode, ruleset and so on.
	Options map[string]any `json:"options,omitempty"`
	// BotAfterSeconds is the wait until bots take the places without players; 0: never.
	// Such a match is not rated.
	BotAfterSeconds int                `json:"botAfterSeconds,omitempty"`
	BotLevel        BotLevel           `json:"botLevel,omitempty"` // "": medium
	Unrated         bool               `json:"unrated,omitempty"`  // no ratings, no leaderboard
	Width           *matchmaking.Width `json:"width,omitempty"`
	Ladder          *Ladder            `json:"ladder,omitempty"`
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
	vetoesMost       = 8
	mapsKept         = 2 // maps of a pool that vetoes leave
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
	if q.MapsPerWeek < 0 || q.MapsPerWeek > queueMapsMax || q.Vetoes < 0 || q.Vetoes > vetoesMost {
		return fmt.Errorf("mapsPerWeek: want 0 (all) to %d; vetoes: want 0 to %d", queueMapsMax, vetoesMost)
	}
	if q.BotAfterSeconds < 0 || q.BotAfterSeconds > botAfterMost {
		return fmt.Errorf("botAfterSeconds: want 0 (never) to %d", botAfterMost)
	}
	if q.Ladder != nil {
		if err := q.Ladder.validate(); err != nil {
			return err
		}
	}
	if q.BotLevel != "" {
		if err := q.BotLevel.Check(); err != nil {
			return fmt.Errorf("botLevel: %w", err)
		}
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

// week counts the weeks since 1970. They begin on Mondays, 00:00 UTC.
func week(now time.Time) int64 { return (now.Unix()/86400 + 3) / 7 }

// PoolEnds is when the next week begins.
func PoolEnds(now time.Time) time.Time { return time.Unix(((week(now)+1)*7-3)*86400, 0) }

// Pool lists the maps from which matches of this week draw. Each week takes the maps that follow the maps of the
// week before, so all come equally often.
func (q *Queue) Pool(all []MapInfo, now time.Time) []MapInfo {
	maps := q.MapsAmong(all)
	n, per := int64(len(maps)), int64(q.MapsPerWeek)
	if per == 0 || per >= n {
		return maps
	}
	first := week(now) * per % n
	return slices.Concat(maps, maps)[first : first+per]
}

// Vetoable is how many maps a party may strike out of a pool.
func (q *Queue) Vetoable(pool []MapInfo) int { return max(0, min(q.Vetoes, len(pool)-mapsKept)) }

// CheckVetoes refuses vetoes of maps outside of a pool, and too many.
func (q *Queue) CheckVetoes(pool []MapInfo, vetoes []string) error {
	for i, id := range vetoes {
		if i >= q.Vetoable(pool) || !slices.ContainsFunc(pool, func(m MapInfo) bool { return m.ID == id }) {
			return &Error{Code: BadRequest, Field: "vetoes", Detail: fmt.Sprintf("a party vetoes at most %d maps of this week's pool of %s", q.Vetoable(pool), q.Name)}
		}
	}
	return nil
}

// Strike takes vetoed maps out of the pool of a match. wishes has the vetoes of each team's parties, the most wanted
// first. The teams take turns, and so do the parties of a team. Each team has as many vetoes as one party. A map
// that is out already costs no veto.
func (q *Queue) Strike(pool []MapInfo, wishes [2][][]string, random *rand.Rand) (left []MapInfo, struck []string) {
	left = slices.Clone(pool)
	var queued [2][]string
	for t, parties := range wishes {
		order := random.Perm(len(parties))
		for rank := range q.Vetoes {
			for _, i := range order {
				if rank < len(parties[i]) {
					queued[t] = append(queued[t], parties[i][rank])
				}
			}
		}
	}
	first := random.IntN(2)
	for turn := range 2 * q.Vetoes {
		t := (first + turn) % 2
		for len(queued[t]) > 0 && len(left) > mapsKept {
			id := queued[t][0]
			queued[t] = queued[t][1:]
			if i := slices.IndexFunc(left, func(m MapInfo) bool { return m.ID == id }); i >= 0 {
				left, struck = slices.Delete(left, i, i+1), append(struck, id)
				break
			}
		}
	}
	return left, struck
}

// LevelOfBots is the level of the bots that fill a match.
func (q *Queue) LevelOfBots() BotLevel { return cmp.Or(q.BotLevel, MediumBot) }
