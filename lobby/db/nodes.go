package db

import (
	"time"

	"github.com/fogkeep/fogkeep/lobby/model"
)

// Heartbeat stores a node with its URL, counts its Heartbeats up and notes when.
func (t Nodes) Heartbeat(name, url string, now time.Time) error {
	return t.run(`INSERT INTO nodes (name, url, beats, seen_at) VALUES ($1, $2, 1, $3)
		ON CONFLICT (name) DO UPDATE SET url = excluded.url, beats = nodes.beats + 1, seen_at = excluded.seen_at`, name, url, ms(now))
}

// List lists nodes by name.
func (t Nodes) List() ([]model.Node, error) {
	return list(t, `SELECT name, url, beats, seen_at FROM nodes ORDER BY name`, nil,
		func(n *model.Node) []any { return []any{&n.Name, &n.URL, &n.Heartbeats, moment{&n.Seen}} })
}

// Drop deletes nodes that were last seen before a time.
func (t Nodes) Drop(before time.Time) error {
	return t.run(`DELETE FROM nodes WHERE seen_at < $1`, ms(before))
}

func (t Nodes) state(rest string) (h model.ServerState, err error) {
	err = t.one(`SELECT draining, bans FROM house WHERE id = 1`+rest, nil, &h.Draining, &h.Bans)
	return h, err
}

func (t Nodes) State() (model.ServerState, error) { return t.state("") }

// HoldState is State, and keeps drain and bans as they are until the
// transaction ends: a transaction that takes a seat holds it.
func (t Nodes) HoldState() (model.ServerState, error) { return t.state(t.d.ForShare) }

func (t Nodes) SetDraining(on bool) error {
	return t.must(`UPDATE house SET draining = $1 WHERE id = 1`, on)
}
