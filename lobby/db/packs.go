package db

import (
	"time"

	"github.com/fogkeep/fogkeep/lobby/model"
)

// Published lists the published packs by name.
func (t Packs) Published() ([]model.PublishedPack, error) {
	return list(t, `SELECT name, hash, published_at, by_admin FROM packs ORDER BY name`, nil,
		func(p *model.PublishedPack) []any { return []any{&p.Name, &p.Hash, moment{&p.At}, &p.By} })
}

// Publish makes a version the published one of its name.
func (t Packs) Publish(name, hash, by string, now time.Time) error {
	return t.run(`INSERT INTO packs (name, hash, published_at, by_admin) VALUES ($1, $2, $3, $4)
		ON CONFLICT (name) DO UPDATE SET hash = excluded.hash, published_at = excluded.published_at, by_admin = excluded.by_admin`, name, hash, ms(now), by)
}

// Withdraw ends the publication of a name; without one it is [model.ErrNotFound].
func (t Packs) Withdraw(name string) error { return t.must(`DELETE FROM packs WHERE name = $1`, name) }
