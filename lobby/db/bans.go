package db

import (
	"net/netip"
	"time"

	"github.com/fogkeep/fogkeep/lobby/model"
)

const banColumns = `id, account_id, name, prefix, reason, by_admin, created_at, until_at, lifted_at`

func (t Bans) bans(rest string, args ...any) ([]model.Ban, error) {
	return list(t, `SELECT `+banColumns+` FROM bans WHERE `+rest, args, func(b *model.Ban) []any {
		return []any{&b.ID, &b.Account, &b.Name, text(func(prefix string) (err error) {
			if prefix != "" {
				b.Range, err = netip.ParsePrefix(prefix)
			}
			return err
		}), &b.Reason, &b.By, moment{&b.Created}, moment{&b.Until}, moment{&b.Lifted}}
	})
}

// Add sets ID.
func (t Bans) Add(b *model.Ban) error {
	// Waits for transactions that hold the server state, so that no account takes a
	// seat between the check of bans and the ban.
	if err := t.must(`UPDATE house SET bans = bans + 1 WHERE id = 1`); err != nil {
		return err
	}
	prefix, lo, hi := "", "", ""
	if b.Range.IsValid() {
		prefix = b.Range.String()
		lo, hi = model.RangeKeys(b.Range)
	}
	return t.one(`INSERT INTO bans (account_id, name, prefix, lo, hi, reason, by_admin, created_at, until_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id`,
		[]any{string(b.Account), b.Name, prefix, lo, hi, b.Reason, b.By, ms(b.Created), ms(b.Until)}, &b.ID)
}

func (t Bans) Lift(id int64, now time.Time) (model.Ban, error) {
	if err := t.must(`UPDATE bans SET lifted_at = $2 WHERE id = $1 AND lifted_at = 0`, id, ms(now)); err != nil {
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
		AND lifted_at = 0 AND (until_at = 0 OR until_at > $3) ORDER BY account_id DESC, id LIMIT 1`, string(a), key, ms(now)))
}

func (t Bans) List(before int64, limit int) ([]model.Ban, error) {
	return t.bans(`(CAST($1 AS BIGINT) = 0 OR id < $1) ORDER BY id DESC LIMIT $2`, before, limit)
}
