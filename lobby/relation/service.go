package relation

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby/admission"
	"github.com/fogkeep/fogkeep/lobby/core"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// Service keeps the relations. Any goroutine may call it.
type Service struct {
	*admission.Gate
}

// The most relations of one account, and the most open requests to one.
const (
	FriendsMax    = 200
	RequestsMax   = 50
	RequestsToMax = 100
	BlocksMax     = 500
	AvoidsMax     = 10
)

var most = map[model.RelationKind]int{model.Friend: FriendsMax, model.Request: RequestsMax, model.Block: BlocksMax, model.Avoid: AvoidsMax}

// Friend is a friend with its presence.
type Friend struct {
	model.Relation
	Presence model.Presence
	Lobby    model.LobbyID // that the account may join; "": no lobby
	Party    string        // code of the party that the account may join; "": no party
	Message  int64         // number of the newest message from the friend; 0: none
}

// Relations are all relations of an account.
type Relations struct {
	Friends                              []Friend
	Incoming, Outgoing, Blocked, Avoided []model.Relation
	Hidden                               bool // the account looks absent to all others
}

// onlineFor is how long an account counts as present after its last stored sign of life.
const onlineFor = 75 * time.Second

// List returns the relations of an account.
func (s *Service) List(ctx context.Context, me model.AccountID) (out Relations, err error) {
	err = s.Read(ctx, func(tx *db.Tx) error {
		out = Relations{}
		own, err := tx.Relations.Of(me)
		if err != nil {
			return err
		}
		for _, r := range own {
			switch r.Kind {
			case model.Friend:
				out.Friends = append(out.Friends, Friend{Relation: r, Presence: model.Offline})
			case model.Request:
				out.Outgoing = append(out.Outgoing, r)
			case model.Block:
				out.Blocked = append(out.Blocked, r)
			case model.Avoid:
				out.Avoided = append(out.Avoided, r)
			}
		}
		if out.Incoming, err = tx.Relations.Requests(me); err != nil {
			return err
		}
		if out.Hidden, err = tx.Relations.Hidden(me); err != nil {
			return err
		}
		return s.presence(tx, me, out.Friends)
	})
	return out, err
}

// presence fills in where friends are.
func (s *Service) presence(tx *db.Tx, me model.AccountID, friends []Friend) error {
	var ids []model.AccountID
	for _, f := range friends {
		ids = append(ids, f.Other)
	}
	present, err := tx.Relations.Present(ids)
	if err != nil {
		return err
	}
	ids = slices.DeleteFunc(ids, func(a model.AccountID) bool { _, ok := present[a]; return !ok })
	lobbies, err := tx.Lobbies.WithSeatsOf(ids)
	if err != nil {
		return err
	}
	parties, err := tx.Parties.WithMembers(ids)
	if err != nil {
		return err
	}
	messages, err := tx.Relations.Newest(me)
	if err != nil {
		return err
	}
	hosts := []model.AccountID{me}
	for _, l := range lobbies {
		hosts = append(hosts, l.Host)
	}
	blocks, err := tx.Relations.Among(model.Block, hosts)
	if err != nil {
		return err
	}
	for i := range friends {
		f := &friends[i]
		f.Message = messages[f.Other]
		seen, ok := present[f.Other]
		if !ok {
			continue
		}
		if s.Now().UnixMilli()-seen < onlineFor.Milliseconds() {
			f.Presence = model.Online
		}
		if l := lobbies[f.Other]; l != nil {
			f.Presence = model.InLobby
			if l.State == model.Playing {
				f.Presence = model.InBattle
			}
			if l.Joinable() && l.SeatOf(me) < 0 && !model.Apart(blocks, me, l.Host) {
				f.Lobby = l.ID
			}
		}
		if p := parties[f.Other]; p != nil && f.Presence != model.Offline && p.HasRoom() && !p.Has(me) {
			f.Party = p.Code
		}
	}
	return nil
}

// between runs a transaction with two accounts locked.
func (s *Service) between(ctx context.Context, me, other model.AccountID, do func(*db.Tx) error) error {
	if me == other {
		return &model.Error{Code: model.BadRequest, Field: "account", Detail: "this is your own account"}
	}
	return s.Write(ctx, func(tx *db.Tx) error {
		for _, id := range []model.AccountID{min(me, other), max(me, other)} {
			if _, err := tx.Accounts.Lock(id); err != nil {
				return err
			}
		}
		return do(tx)
	})
}

// Befriend asks the account with a name to be a friend, or accepts its request. It ends a block by the caller.
func (s *Service) Befriend(ctx context.Context, me model.AccountID, name string) error {
	if strings.Contains(name, "@") { // emails stay private
		return model.NotFound
	}
	other, err := core.Get(ctx, s.Core, func(tx *db.Tx) (model.Account, error) { return tx.Accounts.ByLogin(model.LoginKey(name)) })
	if err != nil {
		return err
	}
	return s.between(ctx, me, other.ID, func(tx *db.Tx) error {
		if err := s.SpendStored(tx, quota.ChatLines, quota.Payer{Account: string(me)}); err != nil {
			return err
		}
		if _, err := tx.Relations.Drop(me, other.ID, model.Block); err != nil {
			return err
		}
		if is, err := tx.Relations.Has(me, other.ID, model.Friend); err != nil || is {
			return err
		}
		asked, err := tx.Relations.Drop(other.ID, me, model.Request)
		if err != nil {
			return err
		}
		if asked {
			if _, err := tx.Relations.Drop(me, other.ID, model.Request); err != nil {
				return err
			}
			if err := s.put(tx, other.ID, me, model.Friend); err != nil {
				return err
			}
			return s.put(tx, me, other.ID, model.Friend)
		}
		requests, err := tx.Relations.Requests(other.ID)
		if err != nil {
			return err
		}
		if len(requests) >= RequestsToMax {
			return model.Refuse(model.ListFull, "too many players wait for the answer of %s", other.Name)
		}
		return s.put(tx, me, other.ID, model.Request)
	})
}

// put adds a relation within its bound. It tells the other account of friends and requests, unless that account
// blocks the first.
func (s *Service) put(tx *db.Tx, a, other model.AccountID, kind model.RelationKind) error {
	if has, err := tx.Relations.Has(a, other, kind); err != nil || has {
		return err
	}
	n, err := tx.Relations.Count(a, kind)
	if err != nil {
		return err
	}
	if n >= most[kind] {
		return model.Refuse(model.ListFull, "an account has at most %d entries in this list", most[kind])
	}
	if err := tx.Relations.Put(model.Relation{Account: a, Other: other, Kind: kind, At: s.Now()}); err != nil {
		return err
	}
	if kind == model.Block || kind == model.Avoid {
		return tx.Relations.Changed(a) // the other account may not notice
	}
	return s.changed(tx, a, other)
}

// changed wakes the watchers of both accounts. An account that blocks the first is not woken.
func (s *Service) changed(tx *db.Tx, a, other model.AccountID) error {
	woken := []model.AccountID{a}
	blocked, err := tx.Relations.Has(other, a, model.Block)
	if err != nil {
		return err
	}
	if !blocked {
		woken = append(woken, other)
	}
	return tx.Relations.Changed(woken...)
}

// Unfriend ends a friendship, withdraws a request, or declines one.
func (s *Service) Unfriend(ctx context.Context, me, other model.AccountID) error {
	return s.between(ctx, me, other, func(tx *db.Tx) error {
		if _, err := part(tx, me, other); err != nil {
			return err
		}
		if _, err := tx.Relations.Drop(other, me, model.Request); err != nil {
			return err
		}
		return s.changed(tx, me, other)
	})
}

// part ends the friendship of two accounts, and the request of the first. It reports whether there was one.
func part(tx *db.Tx, a, b model.AccountID) (ended bool, err error) {
	for _, r := range []model.Relation{{Account: a, Other: b, Kind: model.Request}, {Account: a, Other: b, Kind: model.Friend}, {Account: b, Other: a, Kind: model.Friend}} {
		had, err := tx.Relations.Drop(r.Account, r.Other, r.Kind)
		if err != nil {
			return false, err
		}
		ended = ended || had
	}
	return ended, nil
}

// Block silences two accounts for each other, and ends their friendship. A request of the other account stays, unseen:
// its end would tell of the block.
func (s *Service) Block(ctx context.Context, me, other model.AccountID) error {
	return s.between(ctx, me, other, func(tx *db.Tx) error {
		ended, err := part(tx, me, other)
		if err != nil {
			return err
		}
		if ended { // else a change without an effect would tell of the block
			if err := tx.Relations.Changed(me, other); err != nil {
				return err
			}
		}
		return s.put(tx, me, other, model.Block)
	})
}

// Avoid keeps two accounts apart in matchmaking, for a time.
func (s *Service) Avoid(ctx context.Context, me, other model.AccountID) error {
	return s.between(ctx, me, other, func(tx *db.Tx) error {
		return s.put(tx, me, other, model.Avoid)
	})
}

// Drop ends a block, or an account's wish to avoid another.
func (s *Service) Drop(ctx context.Context, me, other model.AccountID, kind model.RelationKind) error {
	return s.between(ctx, me, other, func(tx *db.Tx) error {
		if _, err := tx.Relations.Drop(me, other, kind); err != nil {
			return err
		}
		return tx.Relations.Changed(me)
	})
}

// Hide says whether the account looks absent to all others.
func (s *Service) Hide(ctx context.Context, me model.AccountID, hidden bool) error {
	return s.Write(ctx, func(tx *db.Tx) error {
		if err := s.SpendStored(tx, quota.SettingsSaves, quota.Payer{Account: string(me)}); err != nil {
			return err
		}
		if _, err := tx.Accounts.Lock(me); err != nil {
			return err
		}
		if err := tx.Relations.Hide(me, hidden); err != nil {
			return err
		}
		return tx.Relations.Changed(me)
	})
}

// Say sends a message to a friend.
func (s *Service) Say(ctx context.Context, me, other model.AccountID, text string) (m model.DirectMessage, err error) {
	if text, err = model.CleanLine(model.BadText, "text", text, model.ChatLenMax); err != nil {
		return m, err
	}
	err = s.between(ctx, me, other, func(tx *db.Tx) error {
		if err := friends(tx, me, other); err != nil {
			return err
		}
		if err := s.Within(tx, me, model.Messages); err != nil {
			return err
		}
		if err := s.SpendStored(tx, quota.ChatLines, quota.Payer{Account: string(me)}); err != nil {
			return err
		}
		m = model.DirectMessage{From: me, To: other, Text: text, At: s.Now()}
		if err := tx.Relations.Say(&m); err != nil {
			return err
		}
		return tx.Relations.Changed(me, other)
	})
	return m, err
}

// Messages lists the messages between two friends, oldest first.
func (s *Service) Messages(ctx context.Context, me, other model.AccountID) ([]model.DirectMessage, error) {
	return core.Get(ctx, s.Core, func(tx *db.Tx) ([]model.DirectMessage, error) {
		if err := friends(tx, me, other); err != nil {
			return nil, err
		}
		return tx.Relations.Messages(me, other)
	})
}

func friends(tx *db.Tx, a, b model.AccountID) error {
	is, err := tx.Relations.Has(a, b, model.Friend)
	if err == nil && !is {
		err = model.Refuse(model.NotFound, "this account is not your friend")
	}
	return err
}
