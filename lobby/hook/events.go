package hook

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// The kinds of webhook events.
const (
	HookMatchStarted model.HookKind = "match.started"
	HookMatchEnded   model.HookKind = "match.ended"   // with its result
	HookMatchEvents  model.HookKind = "match.events"  // what happened in it, as late as its spectators see it
	HookPlayerJoined model.HookKind = "player.joined" // its client has the seat in the match
	HookPlayerLeft   model.HookKind = "player.left"   // its client is gone, for a moment or for good
	HookPlayerKicked model.HookKind = "player.kicked" // an admin, a ban or the lobby's host has removed it
	HookBanned       model.HookKind = "account.banned"
	HookUnbanned     model.HookKind = "account.unbanned"
)

// HookKinds lists all kinds.
func HookKinds() []model.HookKind {
	return []model.HookKind{HookMatchStarted, HookMatchEnded, HookMatchEvents, HookPlayerJoined, HookPlayerLeft, HookPlayerKicked, HookBanned, HookUnbanned}
}

// NewHookSecret draws one.
func NewHookSecret() model.HookSecret {
	var b [32]byte
	rand.Read(b[:])
	return model.HookSecret("whsec_" + base64.StdEncoding.EncodeToString(b[:]))
}

// HookPerson is a player in a webhook's body.
type HookPerson struct {
	Account model.AccountID `json:"account"`
	Name    string          `json:"name"`
	Issuer  string          `json:"issuer,omitempty"`
	Subject string          `json:"subject,omitempty"`
}

// HookSeat is a seat of a match in a webhook's body.
type HookSeat struct {
	Start  int         `json:"slot"`
	Team   int         `json:"team"`
	Bot    bool        `json:"bot"`
	Name   string      `json:"name"`
	Player *HookPerson `json:"player,omitempty"`
}

// HookBody is the body of a request to an endpoint.
type HookBody struct {
	ID     string          `json:"id"`
	Type   model.HookKind  `json:"type"`
	At     time.Time       `json:"at"`
	Match  model.MatchID   `json:"match,omitempty"`
	Lobby  model.LobbyID   `json:"lobby,omitempty"`
	Map    string          `json:"map,omitempty"`
	Seats  []HookSeat      `json:"seats,omitempty"`
	Result *model.Outcomes `json:"result,omitempty"`
	Player *HookPerson     `json:"player,omitempty"`
	Start  *int            `json:"slot,omitempty"`
	Reason string          `json:"reason,omitempty"`
	Until  *time.Time      `json:"until,omitempty"`

	Log *model.MatchEvents `json:"log,omitempty"`
}

// Notice is something that endpoints may want to know.
type Notice struct {
	Kind   model.HookKind
	Match  *model.Match    // nil: of no match
	Player model.AccountID // "": of no particular account
	Name   string          // the player's
	Reason string
	Until  time.Time
	Log    *model.MatchEvents
}

// wanting returns the endpoints that want a notice, and the issuers whose subjects the
// notices to them use, "" for no issuer.
func (s *Service) wanting(tx *db.Tx, n Notice) (to []model.WebhookEndpoint, as []string, err error) {
	all, err := tx.Hooks.Endpoints()
	if err != nil {
		return nil, nil, err
	}
	all = slices.DeleteFunc(all, func(e model.WebhookEndpoint) bool { return !slices.Contains(e.Events, n.Kind) })
	issuer := ""
	if n.Match != nil && len(all) > 0 {
		if issuer, err = tx.Keys.Issuer(n.Match.ID); err != nil && !errors.Is(err, model.ErrNotFound) {
			return nil, nil, err
		}
	}
	for _, e := range all {
		issuer, err := s.issuerFor(tx, e, n, issuer)
		if err != nil {
			return nil, nil, err
		}
		if e.Issuer == "" || issuer == e.Issuer { // else of matches and players that are not its business
			to, as = append(to, e), append(as, issuer)
		}
	}
	return to, as, nil
}

// Wanted reports whether an endpoint wants the events of a match.
func (s *Service) Wanted(tx *db.Tx, m *model.Match) (bool, error) {
	to, _, err := s.wanting(tx, Notice{Kind: HookMatchEvents, Match: m})
	return len(to) > 0, err
}

// Follow has the events of a match that begins reported, once they are old enough, if an
// endpoint wants them.
func (s *Service) Follow(tx *db.Tx, m *model.Match) error {
	if wanted, err := s.Wanted(tx, m); err != nil || !wanted {
		return err
	}
	return tx.Hooks.AddFeed(m.ID, s.Now().Add(m.Spec.EventsDelay()))
}

// Tell writes an event for each endpoint that wants it, in the transaction of what
// happened. The caller has locked the match, if there is one, so that a match's
// events get their numbers in order.
func (s *Service) Tell(tx *db.Tx, n Notice) error {
	to, issuers, err := s.wanting(tx, n)
	if err != nil || len(to) == 0 {
		return err
	}
	body := HookBody{ID: model.NewID(), Type: n.Kind, At: s.Now(), Reason: n.Reason, Log: n.Log}
	stream := string(n.Player)
	if n.Match != nil {
		stream = string(n.Match.ID)
		body.Match, body.Lobby, body.Map = n.Match.ID, n.Match.Lobby, n.Match.Spec.Map.ID
		if n.Log == nil {
			body.Result = n.Match.Result
		}
	}
	if !n.Until.IsZero() {
		body.Until = &n.Until
	}
	for i, e := range to {
		if err := s.fill(tx, &body, n, issuers[i]); err != nil {
			return err
		}
		raw, err := json.Marshal(&body)
		if err != nil {
			return err
		}
		if err := tx.Hooks.Add(model.HookEvent{ID: body.ID, Endpoint: e.ID, Stream: stream, Kind: n.Kind, Body: raw, Created: s.Now(), Due: s.Now()}); err != nil {
			return err
		}
	}
	return nil
}

// issuerFor returns the issuer whose subjects a notice to an endpoint uses; "" for no
// issuer.
func (s *Service) issuerFor(tx *db.Tx, e model.WebhookEndpoint, n Notice, of string) (string, error) {
	if n.Match != nil || e.Issuer == "" {
		return of, nil
	}
	names, err := tx.Accounts.Subjects(e.Issuer, []model.AccountID{n.Player})
	if err != nil || names[n.Player] == "" {
		return "", err
	}
	return e.Issuer, nil
}

// fill names the players of a body by their subjects at an issuer.
func (s *Service) fill(tx *db.Tx, body *HookBody, n Notice, issuer string) error {
	seats := n.Match != nil && n.Player == "" && n.Log == nil
	person := func(id model.AccountID, name string) (*HookPerson, error) {
		links, err := tx.Accounts.Externals(id)
		if err != nil {
			return nil, err
		}
		out := &HookPerson{Account: id, Name: name}
		for _, l := range links {
			if issuer == "" || l.Issuer == issuer {
				out.Issuer, out.Subject = l.Issuer, l.Subject
				break
			}
		}
		return out, nil
	}
	var err error
	if body.Seats = nil; seats {
		for _, p := range n.Match.Spec.Participants {
			seat := HookSeat{Start: p.Start, Team: int(p.Team), Bot: p.Bot, Name: p.Name}
			if p.Account != "" {
				if seat.Player, err = person(p.Account, p.Name); err != nil {
					return err
				}
			}
			body.Seats = append(body.Seats, seat)
		}
	}
	if n.Player == "" {
		return nil
	}
	if n.Match != nil {
		for _, p := range n.Match.Spec.Participants {
			if p.Account == n.Player {
				place := p.Start
				body.Start = &place
			}
		}
	}
	body.Player, err = person(n.Player, n.Name)
	return err
}
