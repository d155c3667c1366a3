package db

import (
	"strings"
	"time"

	"github.com/fogkeep/fogkeep/lobby/model"
)

// Endpoints lists endpoints, newest first.
func (t Hooks) Endpoints() ([]model.WebhookEndpoint, error) {
	return list(t, `SELECT id, issuer, url, events, secret, old_secret, old_until, created_by, created_at FROM webhook_endpoints ORDER BY created_at DESC, id DESC`,
		nil, func(e *model.WebhookEndpoint) []any {
			return []any{&e.ID, &e.Issuer, &e.URL, text(func(events string) error {
				for word := range strings.FieldsSeq(events) {
					e.Events = append(e.Events, model.HookKind(word))
				}
				return nil
			}), &e.Secret, &e.OldSecret, moment{&e.OldUntil}, &e.By, moment{&e.Created}}
		})
}

func (t Hooks) AddEndpoint(e model.WebhookEndpoint) error {
	words := make([]string, len(e.Events))
	for i, k := range e.Events {
		words[i] = string(k)
	}
	return t.run(`INSERT INTO webhook_endpoints (id, issuer, url, events, secret, created_by, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		e.ID, e.Issuer, e.URL, strings.Join(words, " "), string(e.Secret), e.By, ms(e.Created))
}

// SaveSecrets stores both secrets and the end of the old one.
func (t Hooks) SaveSecrets(e model.WebhookEndpoint) error {
	return t.must(`UPDATE webhook_endpoints SET secret = $2, old_secret = $3, old_until = $4 WHERE id = $1`,
		e.ID, string(e.Secret), string(e.OldSecret), ms(e.OldUntil))
}

// DeleteEndpoint deletes an endpoint with its events.
func (t Hooks) DeleteEndpoint(id string) error {
	return t.must(`DELETE FROM webhook_endpoints WHERE id = $1`, id)
}

func (t Hooks) events(rest string, args ...any) ([]model.HookEvent, error) {
	return list(t, `SELECT num, id, endpoint_id, stream, kind, body, created_at, due_at, tries, dead_at, failure FROM webhook_events e WHERE `+rest, args,
		func(e *model.HookEvent) []any {
			return []any{&e.Num, &e.ID, &e.Endpoint, &e.Stream, &e.Kind, raw(&e.Body), moment{&e.Created}, moment{&e.Due}, &e.Tries, moment{&e.Dead}, &e.Failure}
		})
}

// Add gives the event its Num.
func (t Hooks) Add(e model.HookEvent) error {
	return t.run(`INSERT INTO webhook_events (id, endpoint_id, stream, kind, body, created_at, due_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		e.ID, e.Endpoint, e.Stream, string(e.Kind), string(e.Body), ms(e.Created), ms(e.Due))
}

// firstOfStream holds for an event e that no other of its stream has to come before.
const firstOfStream = `NOT EXISTS (SELECT 1 FROM webhook_events b WHERE b.endpoint_id = e.endpoint_id AND b.stream = e.stream AND b.num < e.num AND b.dead_at = 0)`

// DueEndpoints lists the endpoints that have events to be tried now.
func (t Hooks) DueEndpoints(now time.Time) ([]string, error) {
	return column[string](t, `SELECT DISTINCT endpoint_id FROM webhook_events e WHERE dead_at = 0 AND due_at <= $1 AND lease_until <= $1 AND `+firstOfStream, ms(now))
}

// Lease takes an endpoint's events that are due, of each stream the first if
// no process has leased it. Others get them when the lease is over.
func (t Hooks) Lease(endpoint string, now, until time.Time, lease string, limit int) ([]model.HookEvent, error) {
	list, err := t.events(`endpoint_id = $1 AND dead_at = 0 AND due_at <= $2 AND lease_until <= $2 AND `+firstOfStream+`
		ORDER BY num LIMIT $3`+t.d.ForClaim, endpoint, ms(now), limit)
	for _, e := range list {
		if err == nil {
			_, err = t.exec(`UPDATE webhook_events SET lease = $2, lease_until = $3 WHERE num = $1`, e.Num, lease, ms(until))
		}
	}
	return list, err
}

// Drop deletes an event, if the lease is still on it.
func (t Hooks) Drop(num int64, lease string) error {
	return t.run(`DELETE FROM webhook_events WHERE num = $1 AND lease = $2`, num, lease)
}

// PutOff stores Due, Tries, Dead and Failure, if the lease is still on it,
// and ends the lease.
func (t Hooks) PutOff(e model.HookEvent, lease string) error {
	return t.run(`UPDATE webhook_events SET due_at = $3, tries = $4, dead_at = $5, failure = $6, lease = '', lease_until = 0 WHERE num = $1 AND lease = $2`,
		e.Num, lease, ms(e.Due), e.Tries, ms(e.Dead), e.Failure)
}

// DeadEvents lists dead events, newest first, below num before; of an
// issuer's endpoints, or "": of all.
func (t Hooks) DeadEvents(issuer string, before int64, limit int) ([]model.HookEvent, error) {
	return t.events(`dead_at > 0 AND (CAST($1 AS BIGINT) = 0 OR num < $1)
		AND ($2 = '' OR endpoint_id IN (SELECT id FROM webhook_endpoints WHERE issuer = $2)) ORDER BY num DESC LIMIT $3`, before, issuer, limit)
}

func (t Hooks) Dead(num int64) (model.HookEvent, error) {
	return first(t.events(`dead_at > 0 AND num = $1`, num))
}

func (t Hooks) Revive(num int64, now time.Time) error {
	return t.must(`UPDATE webhook_events SET dead_at = 0, tries = 0, due_at = $2 WHERE num = $1 AND dead_at > 0`, num, ms(now))
}

// Prune deletes an endpoint's events that are dead since before a time,
// and the oldest beyond so many that wait and that are dead. It returns how many
// were beyond.
func (t Hooks) Prune(endpoint string, before time.Time, waiting, dead int) (n int, err error) {
	if _, err := t.exec(`DELETE FROM webhook_events WHERE endpoint_id = $1 AND dead_at > 0 AND dead_at < $2`, endpoint, ms(before)); err != nil {
		return 0, err
	}
	for _, p := range []struct {
		condition string
		limit     int
	}{{`dead_at = 0`, waiting}, {`dead_at > 0`, dead}} {
		dropped, err := t.exec(`DELETE FROM webhook_events WHERE endpoint_id = $1 AND `+p.condition+` AND num <=
			(SELECT num FROM webhook_events WHERE endpoint_id = $1 AND `+p.condition+` ORDER BY num DESC LIMIT 1 OFFSET $2)`, endpoint, p.limit)
		if err != nil {
			return 0, err
		}
		n += int(dropped)
	}
	return n, nil
}

func (t Hooks) Count() (waiting, dead int, err error) {
	err = t.one(`SELECT COALESCE(SUM(CASE WHEN dead_at = 0 THEN 1 ELSE 0 END), 0), COALESCE(SUM(CASE WHEN dead_at > 0 THEN 1 ELSE 0 END), 0) FROM webhook_events`,
		nil, &waiting, &dead)
	return waiting, dead, err
}
