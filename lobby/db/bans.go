package db

import (
	"net/netip"
	"time"

	"github.com/fogkeep/fogkeep/lobby/model"
)

const banColumns = `id, account_id, name, prefix, reason, by_admin, created_at, until_at, lifted_at, scope, case_id`

func (t Bans) bans(rest string, args ...any) ([]model.Ban, error) {
	return list(t, `SELECT `+banColumns+` FROM bans WHERE `+rest, args, func(b *model.Ban) []any {
		return []any{&b.ID, &b.Account, &b.Name, text(func(prefix string) (err error) {
			if prefix != "" {
				b.Range, err = netip.ParsePrefix(prefix)
			}
			return err
		}), &b.Reason, &b.By, moment{&b.Created}, moment{&b.Until}, moment{&b.Lifted}, &b.Scope, &b.Case}
	})
}

// changed has every process look at the bans. It waits for transactions that hold the server state, so that no account
// takes a seat between the check of bans and the ban.
func (t Bans) changed() error { return t.must(`UPDATE house SET bans = bans + 1 WHERE id = 1`) }

// Add sets ID.
func (t Bans) Add(b *model.Ban) error {
	if err := t.changed(); err != nil {
		return err
	}
	prefix, lo, hi := "", "", ""
	if b.Range.IsValid() {
		prefix = b.Range.String()
		lo, hi = model.RangeKeys(b.Range)
	}
	return t.one(`INSERT INTO bans (account_id, name, prefix, lo, hi, reason, by_admin, created_at, until_at, scope, case_id)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) RETURNING id`,
		[]any{string(b.Account), b.Name, prefix, lo, hi, b.Reason, b.By, ms(b.Created), ms(b.Until), string(b.Scope), b.Case}, &b.ID)
}

func (t Bans) Lift(id int64, now time.Time) (model.Ban, error) {
	if err := t.must(`UPDATE bans SET lifted_at = $2 WHERE id = $1 AND lifted_at = 0`, id, ms(now)); err != nil {
		return model.Ban{}, err
	}
	if err := t.changed(); err != nil {
		return model.Ban{}, err
	}
	return first(t.bans(`id = $1`, id))
}

// Of returns the ban that keeps out an account or an address now, the
// account's first. The zero Addr is in no range.
func (t Bans) Of(a model.AccountID, addr netip.Addr, now time.Time) (model.Ban, error) {
	key := "-" // in no range
	if addr.IsValid() {
		key = model.AddressKey(addr)
	}
	return first(t.bans(`((account_id <> '' AND account_id = $1) OR (lo <> '' AND lo <= $2 AND hi >= $2))
		AND scope = '' AND `+holds+` ORDER BY account_id DESC, id LIMIT 1`, string(a), key, ms(now)))
}

// holds selects bans that hold at the time $3.
const holds = `lifted_at = 0 AND (until_at = 0 OR until_at > $3)`

// Within returns the ban that keeps an account out of a scope now.
func (t Bans) Within(a model.AccountID, scope model.BanScope, now time.Time) (model.Ban, error) {
	return first(t.bans(`account_id = $1 AND scope = $2 AND `+holds+` ORDER BY until_at = 0 DESC, until_at DESC LIMIT 1`, string(a), string(scope), ms(now)))
}

// Silent returns the accounts that are muted in matches, with the ends of the mutes; zero: for good.
func (t Bans) Silent(now time.Time) (map[model.AccountID]time.Time, error) {
	list, err := t.bans(`account_id <> $1 AND scope = $2 AND `+holds+` ORDER BY until_at = 0, until_at`, "", string(model.MatchChat), ms(now))
	out := make(map[model.AccountID]time.Time, len(list))
	for _, b := range list {
		out[b.Account] = b.Until
	}
	return out, err
}

// OfCases lists the bans of cases of an account that hold; with a case, its bans alone.
func (t Bans) OfCases(a model.AccountID, id int64, now time.Time) ([]model.Ban, error) {
	return t.bans(`account_id = $1 AND case_id <> 0 AND (CAST($2 AS BIGINT) = 0 OR case_id = $2) AND `+holds+` ORDER BY id`, string(a), id, ms(now))
}

func (t Bans) List(before int64, limit int) ([]model.Ban, error) {
	return t.bans(`(CAST($1 AS BIGINT) = 0 OR id < $1) ORDER BY id DESC LIMIT $2`, before, limit)
}
