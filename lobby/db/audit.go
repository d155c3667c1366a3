package db

import (
	"time"

	"github.com/fogkeep/fogkeep/lobby/model"
)

const auditColumns = `num, at, admin, action, subject, detail, address, link, prev, hash`

func (t Audit) rows(rest string, args ...any) ([]model.AuditRow, error) {
	return list(t, `SELECT `+auditColumns+` FROM audit WHERE `+rest, args,
		func(r *model.AuditRow) []any {
			return []any{&r.Num, moment{&r.At}, &r.Admin, &r.Action, &r.Subject, &r.Detail, &r.Address, &r.Link, &r.Prev, &r.Hash}
		})
}

func (t Audit) List(before int64, limit int) ([]model.AuditRow, error) {
	return t.rows(`(CAST($1 AS BIGINT) = 0 OR num < $1) ORDER BY num DESC LIMIT $2`, before, limit)
}

// From lists rows in the chain's order, behind a link and, among rows from before
// the chain, behind a number.
func (t Audit) From(link, num int64, limit int) ([]model.AuditRow, error) {
	return t.rows(`(link, num) > ($1, $2) ORDER BY link, num LIMIT $3`, link, num, limit)
}

func (t Audit) chain(rest string) (c model.AuditChain, err error) {
	err = t.one(`SELECT link, hash, anchor_link, anchor_hash FROM audit_chain WHERE id = 1`+rest, nil,
		&c.Head.Link, &c.Head.Hash, &c.Anchor.Link, &c.Anchor.Hash)
	return c, err
}

func (t Audit) Chain() (model.AuditChain, error) { return t.chain("") }

// Add adds a row to the chain's end, which it locks. It sets Num, Link, Prev and Hash.
func (t Audit) Add(r *model.AuditRow) error {
	c, err := t.chain(t.d.ForUpdate)
	if err != nil {
		return err
	}
	if c.Head.Link == 0 {
		// The first of the chain vouches for all rows that were there before.
		for num, more := int64(0), true; more; {
			old, err := t.rows(`link = 0 AND num > $1 ORDER BY num LIMIT 500`, num)
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

// Prune deletes at most limit rows of the chain that are older than a time, from its
// beginning on, moves the anchor, and returns it with the number of rows.
func (t Audit) Prune(before time.Time, limit int) (anchor model.AuditHead, n int, err error) {
	c, err := t.chain(t.d.ForUpdate)
	if err != nil {
		return anchor, 0, err
	}
	anchor = c.Anchor
	rows, err := t.rows(`link > $1 ORDER BY link LIMIT $2`, max(anchor.Link, 0), limit)
	if err != nil {
		return anchor, 0, err
	}
	for _, r := range rows {
		if !r.At.Before(before) {
			break // the chain is cut at one place, even if the clock jumped
		}
		anchor = model.AuditHead{Link: r.Link, Hash: r.Hash}
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

// Since reports whether the admin took the action on the subject at the time or later.
func (t Audit) Since(admin, action, subject string, since time.Time) (bool, error) {
	return t.exists(`SELECT 1 FROM audit WHERE admin = $1 AND action = $2 AND subject = $3 AND at >= $4`, admin, action, subject, ms(since))
}
