package sqlstore

import (
	"net/netip"
	"time"

	"github.com/fogkeep/fogkeep/lobby"
)

func (t *tx) serverState(rest string) (h lobby.ServerState, err error) {
	err = t.one(`SELECT draining, bans FROM house WHERE id = 1`+rest, nil, &h.Draining, &h.Bans)
	return h, err
}

func (t *tx) ServerState() (lobby.ServerState, error)     { return t.serverState("") }
func (t *tx) HoldServerState() (lobby.ServerState, error) { return t.serverState(t.d.ForShare) }

func (t *tx) SetDraining(on bool) error {
	return t.must(`UPDATE house SET draining = $1 WHERE id = 1`, on)
}

const banColumns = `id, account_id, name, prefix, reason, by_admin, created_at, until_at, lifted_at`

func (t *tx) bans(rest string, args ...any) (list []lobby.Ban, err error) {
	err = t.each(`SELECT `+banColumns+` FROM bans WHERE `+rest, args, func(scan func(...any) error) error {
		var b lobby.Ban
		var prefix string
		var created, until, lifted int64
		if err := scan(&b.ID, &b.Account, &b.Name, &prefix, &b.Reason, &b.By, &created, &until, &lifted); err != nil {
			return err
		}
		if prefix != "" {
			p, err := netip.ParsePrefix(prefix)
			if err != nil {
				return err
			}
			b.Range = p
		}
		b.Created, b.Until, b.Lifted = fromMs(created), fromMs(until), fromMs(lifted)
		list = append(list, b)
		return nil
	})
	return list, err
}

func (t *tx) AddBan(b *lobby.Ban) error {
	// Waits for those who hold the server state, so that nobody takes a seat between
	// the look for a ban and the ban.
	if err := t.must(`UPDATE house SET bans = bans + 1 WHERE id = 1`); err != nil {
		return err
	}
	prefix, lo, hi := "", "", ""
	if b.Range.IsValid() {
		prefix = b.Range.String()
		lo, hi = lobby.RangeKeys(b.Range)
	}
	return t.one(`INSERT INTO bans (account_id, name, prefix, lo, hi, reason, by_admin, created_at, until_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id`,
		[]any{string(b.Account), b.Name, prefix, lo, hi, b.Reason, b.By, ms(b.Created), ms(b.Until)}, &b.ID)
}

func (t *tx) LiftBan(id int64, now time.Time) (lobby.Ban, error) {
	if err := t.must(`UPDATE bans SET lifted_at = $2 WHERE id = $1 AND lifted_at = 0`, id, ms(now)); err != nil {
		return lobby.Ban{}, err
	}
	list, err := t.bans(`id = $1`, id)
	if err != nil {
		return lobby.Ban{}, err
	}
	return list[0], nil
}

func (t *tx) Banned(a lobby.AccountID, addr netip.Addr, now time.Time) (lobby.Ban, error) {
	key := "-" // in no range
	if addr.IsValid() {
		key = lobby.AddressKey(addr)
	}
	list, err := t.bans(`((account_id <> '' AND account_id = $1) OR (lo <> '' AND lo <= $2 AND hi >= $2))
		AND lifted_at = 0 AND (until_at = 0 OR until_at > $3) ORDER BY account_id DESC, id LIMIT 1`, string(a), key, ms(now))
	if err == nil && len(list) == 0 {
		err = lobby.ErrNotFound
	}
	if err != nil {
		return lobby.Ban{}, err
	}
	return list[0], nil
}

func (t *tx) Bans(before int64, limit int) ([]lobby.Ban, error) {
	return t.bans(`(CAST($1 AS BIGINT) = 0 OR id < $1) ORDER BY id DESC LIMIT $2`, before, limit)
}

const adminColumns = `id, name, password_hash, role, fog, created_at, disabled_at`

func (t *tx) admins(rest string, args ...any) (list []lobby.Admin, err error) {
	err = t.each(`SELECT `+adminColumns+` FROM admins WHERE `+rest, args, func(scan func(...any) error) error {
		var a lobby.Admin
		err := scanAdmin(scan, &a)
		list = append(list, a)
		return err
	})
	return list, err
}

func scanAdmin(scan func(...any) error, a *lobby.Admin) error {
	var created, disabled int64
	err := scan(&a.ID, &a.Name, &a.PasswordHash, &a.Role, &a.Fog, &created, &disabled)
	a.Created, a.Disabled = fromMs(created), fromMs(disabled)
	return err
}

func (t *tx) admin(rest string, args ...any) (lobby.Admin, error) {
	list, err := t.admins(rest, args...)
	if err == nil && len(list) == 0 {
		err = lobby.ErrNotFound
	}
	if err != nil {
		return lobby.Admin{}, err
	}
	return list[0], nil
}

func (t *tx) AddAdmin(a lobby.Admin) error {
	_, err := t.exec(`INSERT INTO admins (id, name, name_key, password_hash, hash_cost, role, fog, created_at, disabled_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		a.ID, a.Name, lobby.LoginKey(a.Name), a.PasswordHash, lobby.HashCost(a.PasswordHash), string(a.Role), a.Fog, ms(a.Created), ms(a.Disabled))
	return err
}

func (t *tx) Admin(id string) (lobby.Admin, error) { return t.admin(`id = $1`, id) }

func (t *tx) AdminByName(key string) (lobby.Admin, error) { return t.admin(`name_key = $1`, key) }

func (t *tx) SaveAdmin(a lobby.Admin) error {
	return t.must(`UPDATE admins SET password_hash = $2, hash_cost = $3, role = $4, fog = $5, disabled_at = $6 WHERE id = $1`,
		a.ID, a.PasswordHash, lobby.HashCost(a.PasswordHash), string(a.Role), a.Fog, ms(a.Disabled))
}

func (t *tx) Admins() ([]lobby.Admin, error) {
	return t.admins(`id <> '' ORDER BY name_key LIMIT 1000`)
}

func (t *tx) CountAdmins() (n int, err error) {
	err = t.one(`SELECT COUNT(*) FROM admins`, nil, &n)
	return n, err
}

const auditColumns = `num, at, admin, action, subject, detail, address, link, prev, hash`

func (t *tx) auditRows(rest string, args ...any) (list []lobby.AuditRow, err error) {
	err = t.each(`SELECT `+auditColumns+` FROM audit WHERE `+rest, args, func(scan func(...any) error) error {
		var r lobby.AuditRow
		var at int64
		err := scan(&r.Num, &at, &r.Admin, &r.Action, &r.Subject, &r.Detail, &r.Address, &r.Link, &r.Prev, &r.Hash)
		r.At = fromMs(at)
		list = append(list, r)
		return err
	})
	return list, err
}

func (t *tx) Audit(before int64, limit int) ([]lobby.AuditRow, error) {
	return t.auditRows(`(CAST($1 AS BIGINT) = 0 OR num < $1) ORDER BY num DESC LIMIT $2`, before, limit)
}

func (t *tx) AuditFrom(link, num int64, limit int) ([]lobby.AuditRow, error) {
	return t.auditRows(`(link, num) > ($1, $2) ORDER BY link, num LIMIT $3`, link, num, limit)
}

func (t *tx) auditChain(rest string) (c lobby.AuditChain, err error) {
	err = t.one(`SELECT link, hash, anchor_link, anchor_hash FROM audit_chain WHERE id = 1`+rest, nil,
		&c.Head.Link, &c.Head.Hash, &c.Anchor.Link, &c.Anchor.Hash)
	return c, err
}

func (t *tx) AuditChain() (lobby.AuditChain, error) { return t.auditChain("") }

func (t *tx) AddAudit(r *lobby.AuditRow) error {
	c, err := t.auditChain(t.d.ForUpdate)
	if err != nil {
		return err
	}
	if c.Head.Link == 0 {
		// The first of the chain vouches for all rows that were there before.
		for num, more := int64(0), true; more; {
			old, err := t.auditRows(`link = 0 AND num > $1 ORDER BY num LIMIT 500`, num)
			if err != nil {
				return err
			}
			for _, row := range old {
				row.Prev = c.Head.Hash
				c.Head.Hash, num = row.Digest(), row.Num
			}
			more = len(old) == 500
		}
	}
	r.At = fromMs(ms(r.At))
	r.Link, r.Prev = c.Head.Link+1, c.Head.Hash
	r.Hash = r.Digest()
	if err := t.one(`INSERT INTO audit (at, admin, action, subject, detail, address, link, prev, hash) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING num`,
		[]any{ms(r.At), r.Admin, r.Action, r.Subject, r.Detail, r.Address, r.Link, r.Prev, r.Hash}, &r.Num); err != nil {
		return err
	}
	return t.must(`UPDATE audit_chain SET link = $1, hash = $2 WHERE id = 1`, r.Link, r.Hash)
}

func (t *tx) PruneAudit(before time.Time, limit int) (anchor lobby.AuditHead, n int, err error) {
	c, err := t.auditChain(t.d.ForUpdate)
	if err != nil {
		return anchor, 0, err
	}
	anchor = c.Anchor
	rows, err := t.auditRows(`link > $1 ORDER BY link LIMIT $2`, max(anchor.Link, 0), limit)
	if err != nil {
		return anchor, 0, err
	}
	for _, r := range rows {
		if !r.At.Before(before) {
			break // the chain is cut at one place, whatever the clock did
		}
		anchor = lobby.AuditHead{Link: r.Link, Hash: r.Hash}
		n++
	}
	if n == 0 {
		return anchor, 0, nil
	}
	if err := t.must(`UPDATE audit_chain SET anchor_link = $1, anchor_hash = $2 WHERE id = 1`, anchor.Link, anchor.Hash); err != nil {
		return anchor, 0, err
	}
	_, err = t.exec(`DELETE FROM audit WHERE link <= $1`, anchor.Link)
	return anchor, n, err
}

func (t *tx) AuditedSince(admin, action, subject string, since time.Time) (bool, error) {
	n := 0
	err := t.one(`SELECT COUNT(*) FROM audit WHERE admin = $1 AND action = $2 AND subject = $3 AND at >= $4`,
		[]any{admin, action, subject, ms(since)}, &n)
	return n > 0, err
}
