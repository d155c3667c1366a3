package hook

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"net/url"
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// Limits of webhooks.
const (
	EndpointsMax    = 100                 // of all issuers
	EndpointsPerMax = 10                  // of one
	OverlapMax      = 30 * 24 * time.Hour // of a rotation: so long the old secret works at most, also a service key's
	HookTriesMax    = 15                  // then an event is dead; with the pauses between them, after about thirty hours
	HookWaitingMax  = 10_000              // events of one endpoint that are not dead; beyond it the oldest are deleted
	HookDeadLife    = 30 * 24 * time.Hour // dead events are kept so long
	HookDeadMax     = 10_000              // of one endpoint; beyond it the oldest are deleted
	hookPauseFirst  = 10 * time.Second
	hookPauseMax    = 6 * time.Hour
	hookLease       = time.Minute // longer than a try takes
	hookFailureLen  = 200
)

// NewWebhookEndpoint is a webhook endpoint to be registered.
type NewWebhookEndpoint struct {
	Issuer string           `json:"issuer,omitempty" maxLength:"255" doc:"admins only; absent: all matches and players"`
	URL    string           `json:"url" maxLength:"1000" doc:"http or https, at a public address unless the server is configured otherwise; no name or password; port 80, 443 or above 1023"`
	Events []model.HookKind `json:"events,omitempty" maxItems:"20" enum:"match.started,match.ended,match.events,player.joined,player.left,player.kicked,account.banned,account.unbanned" doc:"absent: all but match.events"`
}

func (s *Service) validEndpoint(n *NewWebhookEndpoint) error {
	check := s.Outbound.CheckURL
	if err := check(n.URL); err != nil {
		return model.RefuseField(model.BadRequest, "url", "%s", err)
	}
	if len(n.Events) == 0 {
		// To read the events of a match costs as much as a viewer, so the default leaves them out.
		n.Events = slices.DeleteFunc(HookKinds(), func(k model.HookKind) bool { return k == HookMatchEvents })
	}
	for _, k := range n.Events {
		if !slices.Contains(HookKinds(), k) {
			return model.RefuseField(model.BadRequest, "events", "%q is no event: the events are %v", model.CutText(string(k), 40), HookKinds())
		}
	}
	slices.Sort(n.Events)
	n.Events = slices.Compact(n.Events)
	if n.Issuer == "" {
		return nil
	}
	return model.ExternalID{Issuer: n.Issuer, Subject: "any"}.Check()
}

// Owner manages endpoints: an admin all endpoints, a service key its issuer's.
type Owner struct {
	Issuer string // "": all
	By     string
	Act    func(ctx context.Context, action string, fn func(*db.Tx) (subject, detail string, err error)) error
	Query  func(ctx context.Context, fn func(*db.Tx) error) error
}

// Webhooks manages the webhook endpoints of an owner, and the events that they did not take.
type Webhooks struct {
	s *Service
	o Owner
}

// Webhooks returns the endpoints of an owner.
func (s *Service) Webhooks(o Owner) *Webhooks { return &Webhooks{s, o} }

// List lists endpoints, newest first.
func (w *Webhooks) List(ctx context.Context) (list []model.WebhookEndpoint, err error) {
	err = w.o.Query(ctx, func(tx *db.Tx) error {
		all, err := tx.Hooks.Endpoints()
		list = slices.DeleteFunc(all, func(e model.WebhookEndpoint) bool { return w.o.Issuer != "" && e.Issuer != w.o.Issuer })
		return err
	})
	return list, err
}

// Add registers an endpoint. Its secret is shown this once.
func (w *Webhooks) Add(ctx context.Context, n NewWebhookEndpoint) (e model.WebhookEndpoint, err error) {
	n.Issuer = cmp.Or(w.o.Issuer, n.Issuer)
	if err := w.s.validEndpoint(&n); err != nil {
		return e, err
	}
	err = w.o.Act(ctx, "webhook.add", func(tx *db.Tx) (string, string, error) {
		all, err := tx.Hooks.Endpoints()
		if err != nil {
			return "", "", err
		}
		same := 0
		for _, x := range all {
			if x.Issuer == n.Issuer {
				same++
			}
		}
		if len(all) >= EndpointsMax || same >= EndpointsPerMax {
			return "", "", model.Refuse(model.Throttled, "this issuer has %d of at most %d endpoints: delete unused ones", same, EndpointsPerMax)
		}
		e = model.WebhookEndpoint{ID: model.NewID(), Issuer: n.Issuer, URL: n.URL, Events: n.Events, Secret: NewHookSecret(), By: w.o.By, Created: w.s.Now()}
		return e.ID, hostOf(e.URL), tx.Hooks.AddEndpoint(e)
	})
	return e, err
}

// hostOf returns the audited part of a URL: the rest may contain a token.
func hostOf(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return u.Host
}

// own returns an endpoint that w manages.
func (w *Webhooks) own(tx *db.Tx, id string) (model.WebhookEndpoint, error) {
	all, err := tx.Hooks.Endpoints()
	if err != nil {
		return model.WebhookEndpoint{}, err
	}
	i := slices.IndexFunc(all, func(e model.WebhookEndpoint) bool { return e.ID == id && (w.o.Issuer == "" || e.Issuer == w.o.Issuer) })
	if i < 0 {
		return model.WebhookEndpoint{}, model.Refuse(model.NotFound, "there is no endpoint %s", model.CutText(id, 64))
	}
	return all[i], nil
}

// Rotate gives an endpoint a new secret, and returns it this once. For the time overlap
// both secrets sign.
func (w *Webhooks) Rotate(ctx context.Context, id string, overlap time.Duration) (e model.WebhookEndpoint, err error) {
	if overlap < 0 || overlap > OverlapMax {
		return e, model.RefuseField(model.BadRequest, "overlap", "must be 0 to %d hours", OverlapMax/time.Hour)
	}
	err = w.o.Act(ctx, "webhook.rotate", func(tx *db.Tx) (string, string, error) {
		if e, err = w.own(tx, id); err != nil {
			return "", "", err
		}
		e.OldSecret, e.OldUntil, e.Secret = e.Secret, w.s.Now().Add(overlap), NewHookSecret()
		return e.ID, hostOf(e.URL), tx.Hooks.SaveSecrets(e)
	})
	return e, err
}

// Delete deletes an endpoint with its waiting events.
func (w *Webhooks) Delete(ctx context.Context, id string) error {
	return w.o.Act(ctx, "webhook.delete", func(tx *db.Tx) (string, string, error) {
		e, err := w.own(tx, id)
		if err != nil {
			return "", "", err
		}
		return e.ID, hostOf(e.URL), tx.Hooks.DeleteEndpoint(e.ID)
	})
}

// Dead lists dead events, newest first, below num before.
func (w *Webhooks) Dead(ctx context.Context, before int64, limit int) (list []model.HookEvent, err error) {
	err = w.o.Query(ctx, func(tx *db.Tx) error {
		list, err = tx.Hooks.DeadEvents(w.o.Issuer, before, max(1, min(limit, 100)))
		return err
	})
	return list, err
}

// Retry revives a dead event, with as many tries as a new one. It comes before the
// waiting events of its stream.
func (w *Webhooks) Retry(ctx context.Context, num int64) error {
	return w.o.Act(ctx, "webhook.retry", func(tx *db.Tx) (string, string, error) {
		e, err := tx.Hooks.Dead(num)
		if err == nil {
			_, err = w.own(tx, e.Endpoint)
		}
		if errors.Is(err, model.ErrNotFound) || errors.Is(err, model.NotFound) {
			err = model.Refuse(model.NotFound, "there is no dead event %d", num)
		}
		if err != nil {
			return "", "", err
		}
		return e.Endpoint, string(e.Kind) + " " + e.ID, tx.Hooks.Revive(num, w.s.Now())
	})
}

// HookDelivery is one try to send an event to an endpoint. Its holder has leased the
// event for a minute.
type HookDelivery struct {
	model.HookEvent
	To    model.WebhookEndpoint
	Lease string
}

// TakeHookEvents leases events that are due, of each stream the first. share gets the
// endpoints with such events, and returns how many each endpoint may take. Any number
// of processes may ask.
func (s *Service) TakeHookEvents(ctx context.Context, share func(due []model.WebhookEndpoint) map[string]int) (out []HookDelivery, err error) {
	var due []model.WebhookEndpoint
	if err := s.Read(ctx, func(tx *db.Tx) error {
		ids, err := tx.Hooks.DueEndpoints(s.Now())
		if err != nil || len(ids) == 0 {
			return err
		}
		due, err = tx.Hooks.Endpoints()
		due = slices.DeleteFunc(due, func(e model.WebhookEndpoint) bool { return !slices.Contains(ids, e.ID) })
		return err
	}); err != nil {
		return nil, err
	}
	shares := share(slices.Clone(due))
	due = slices.DeleteFunc(due, func(e model.WebhookEndpoint) bool { return shares[e.ID] <= 0 })
	if len(due) == 0 {
		return nil, nil
	}
	lease := model.NewID()
	err = s.Write(ctx, func(tx *db.Tx) error {
		out = nil
		for _, to := range due {
			list, err := tx.Hooks.Lease(to.ID, s.Now(), s.Now().Add(hookLease), lease, shares[to.ID])
			if err != nil {
				return err
			}
			for _, e := range list {
				out = append(out, HookDelivery{e, to, lease})
			}
		}
		return nil
	})
	return out, err
}

// ReturnHookEvent gives back an event that was not tried to the end.
func (s *Service) ReturnHookEvent(ctx context.Context, d HookDelivery) error {
	return s.Write(ctx, func(tx *db.Tx) error { return tx.Hooks.PutOff(d.HookEvent, d.Lease) })
}

// HookTaken notes that an endpoint has taken an event, and forgets it. A try whose
// lease is over changes nothing.
func (s *Service) HookTaken(ctx context.Context, d HookDelivery) error {
	return s.Write(ctx, func(tx *db.Tx) error { return tx.Hooks.Drop(d.Num, d.Lease) })
}

// HookRefused notes that a try failed, and reports whether the event is dead now.
func (s *Service) HookRefused(ctx context.Context, d HookDelivery, why string) (dead bool, err error) {
	e := d.HookEvent
	e.Tries++
	e.Failure = model.CutText(why, hookFailureLen)
	e.Due = s.Now().Add(hookPause(e.Tries))
	if e.Tries >= HookTriesMax {
		e.Dead = s.Now()
	}
	return !e.Dead.IsZero(), s.Write(ctx, func(tx *db.Tx) error { return tx.Hooks.PutOff(e, d.Lease) })
}

// hookPause doubles with each try, and is drawn from its upper half: endpoints that
// were away do not get everything at the same moment.
func hookPause(tries int) time.Duration {
	pause := min(hookPauseFirst<<min(tries-1, 30), hookPauseMax)
	return pause/2 + rand.N(pause/2)
}

// HookBacklog is how much endpoints have not been told.
type HookBacklog struct{ Waiting, Dead, Dropped int }

// PruneHookEvents deletes old dead events, and the oldest ones above an endpoint's
// limit.
func (s *Service) PruneHookEvents(ctx context.Context) (b HookBacklog, err error) {
	err = s.Write(ctx, func(tx *db.Tx) error {
		b = HookBacklog{}
		all, err := tx.Hooks.Endpoints()
		if err != nil || len(all) == 0 {
			return err
		}
		for _, e := range all {
			n, err := tx.Hooks.Prune(e.ID, s.Now().Add(-HookDeadLife), HookWaitingMax, HookDeadMax)
			if err != nil {
				return err
			}
			b.Dropped += n
		}
		b.Waiting, b.Dead, err = tx.Hooks.Count()
		return err
	})
	return b, err
}

// NameOf returns an account's name, or its replacement after deletion.
func NameOf(tx *db.Tx, a model.AccountID) (string, error) {
	account, err := tx.Accounts.Get(a)
	if errors.Is(err, model.ErrNotFound) {
		return "deleted", nil
	}
	return account.Name, err
}

// TellKicked tells of a player who was removed by force, from a match if it played
// in one.
func (s *Service) TellKicked(tx *db.Tx, a model.AccountID, played *model.Match, reason string) error {
	name, err := NameOf(tx, a)
	if err != nil {
		return err
	}
	if played != nil {
		if _, err := tx.Matches.Lock(played.ID); err != nil {
			return err
		}
	}
	return s.Tell(tx, Notice{Kind: HookPlayerKicked, Match: played, Player: a, Name: name, Reason: reason})
}
