package db

import (
	"time"

	"github.com/fogkeep/fogkeep/lobby/model"
)

// Beat stores a node with its URL, counts its Beats up and notes when.
func (t *Tx) Beat(name, url string, now time.Time) error {
	return t.run(`INSERT INTO nodes (name, url, beats, seen_at) VALUES ($1, $2, 1, $3)
		ON CONFLICT (name) DO UPDATE SET url = excluded.url, beats = nodes.beats + 1, seen_at = excluded.seen_at`, name, url, ms(now))
}

// Nodes lists them by name.
func (t *Tx) Nodes() ([]model.Node, error) {
	return list(t, `SELECT name, url, beats, seen_at FROM nodes ORDER BY name`, nil,
		func(n *model.Node) []any { return []any{&n.Name, &n.URL, &n.Beats, moment{&n.Seen}} })
}

// DropNodes deletes nodes that were last seen before a time.
func (t *Tx) DropNodes(before time.Time) error {
	return t.run(`DELETE FROM nodes WHERE seen_at < $1`, ms(before))
}
