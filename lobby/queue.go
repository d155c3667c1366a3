package lobby

import (
	"bytes"
	"cmp"
	"context"
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
	// Maps are ids of maps, one of which is drawn for each match. None: those with
	// as many start points as players, or if there is none those with more.
	Maps []string `json:"maps,omitempty"`
	// Options of the lobby that differ from the default: mode, ruleset and so on.
	Options map[string]json.RawMessage `json:"options,omitempty"`
	// BotAfterSeconds is how long one waits until bots take the places for which
	// nobody is there; 0: never. Such a match is not rated.
	BotAfterSeconds int         `json:"botAfterSeconds,omitempty"`
	BotLevel        BotLevel    `json:"botLevel,omitempty"` // "": medium
	Unrated         bool        `json:"unrated,omitempty"`  // no ratings, no leaderboard
	Width           *QueueWidth `json:"width,omitempty"`
}

// QueueWidth is how far apart ratings may be, see [matchmaking.Width].
type QueueWidth struct {
	Start     float64 `json:"start"`
	PerSecond float64 `json:"perSecond"`
	Most      float64 `json:"most,omitempty"`
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

// DefaultQueues are those of a server on which nobody says otherwise.
func DefaultQueues() []Queue {
	return []Queue{{ID: "1v1", Name: "1 v 1", TeamSize: 1}, {ID: "2v2", Name: "2 v 2", TeamSize: 2, Options: map[string]json.RawMessage{"teams": json.RawMessage(`"sides"`)}}}
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
	if _, err := cleanLine(BadName, "name", q.Name, queueNameLenMax); err != nil {
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
		r.Width = matchmaking.Width(*q.Width)
	}
	return r
}

// maps lists the maps of which one is drawn.
func (q *Queue) maps(all []MapInfo) []MapInfo {
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

// Queues lists the queues there are. The caller does not change them.
func (s *Service) Queues() []Queue { return *s.queues.Load() }

// Waiting counts who waits in the queues that are not empty.
func (s *Service) Waiting(ctx context.Context) (out map[string]QueueLength, err error) {
	err = s.read(ctx, func(tx Tx) error {
		out, err = tx.QueueLengths()
		return err
	})
	return out, err
}

// queue finds a queue by its id.
func (s *Service) queue(id string) (*Queue, error) {
	queues := s.Queues()
	for i := range queues {
		if queues[i].ID == id {
			return &queues[i], nil
		}
	}
	return nil, UnknownQueue
}

// SetQueues changes for which queues players wait. A party that waits in a queue that is
// no more is taken out. An error is that of [Service.CheckQueues], and changes nothing.
func (s *Service) SetQueues(queues []Queue) error {
	if err := s.checkQueues(queues); err != nil {
		return err
	}
	var removed []string
	for _, q := range s.Queues() {
		if !slices.ContainsFunc(queues, func(n Queue) bool { return n.ID == q.ID }) {
			removed = append(removed, q.ID)
		}
	}
	s.removedQueues.Store(&removed)
	s.queues.Store(&queues)
	return nil
}

// CheckQueues reports the first queue whose matches could not be made: a map that
// is not there or too small, an option that is refused. It is asked at the start.
func (s *Service) CheckQueues() error { return s.checkQueues(s.Queues()) }

func (s *Service) checkQueues(queues []Queue) error {
	for i := range queues {
		q := &queues[i]
		for _, id := range q.Maps {
			if m, ok := s.Maps.Map(id); !ok || m.Starts < q.Players() {
				return fmt.Errorf("queue %q: map %q is not there, or has fewer than %d start points", q.ID, id, q.Players())
			}
		}
		maps := q.maps(s.Maps.Maps())
		if len(maps) == 0 {
			return fmt.Errorf("queue %q: no map has %d start points", q.ID, q.Players())
		}
		for _, m := range maps {
			if _, err := s.InitGame(NewLobby{Name: q.Name, Map: m.ID, Options: q.Options}); err != nil {
				return fmt.Errorf("queue %q, map %q: %w", q.ID, m.ID, err)
			}
		}
	}
	return nil
}

// botLevel is that of the bots that fill.
func (q *Queue) botLevel() BotLevel { return cmp.Or(q.BotLevel, MediumBot) }
