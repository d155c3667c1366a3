package db

import (
	"time"

	"github.com/fogkeep/fogkeep/lobby/model"
)

// Beat stores a node with its URL, counts its Beats up and notes when.
func (t *Tx) Beat(name, url string, now time.Time) error {
	_, err := t.exec(`INSERT INTO nodes (name, url, beats, seen_at) VALUES ($1, $2, 1, $3)
		ON CONFLICT (name) DO UPDATE SET url = excluded.url, beats = nodes.beats + 1, seen_at = excluded.seen_at`, name, url, ms(now))
	return err
}

// Nodes lists them by name.
func (t *Tx) Nodes() (list []model.Node, err error) {
	err = t.each(`SELECT name, url, beats, seen_at FROM nodes ORDER BY name`, nil, func(scan func(...any) error) error {
		var n model.Node
		var seen int64
		if err := scan(&n.Name, &n.URL, &n.Beats, &seen); err != nil {
			return err
		}
		n.Seen = fromMs(seen)
		list = append(list, n)
		return nil
	})
	return list, err
}

// DropNodes deletes those that were last seen before a time.
func (t *Tx) DropNodes(before time.Time) error {
	_, err := t.exec(`DELETE FROM nodes WHERE seen_at < $1`, ms(before))
	return err
}
