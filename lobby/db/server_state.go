package db

import "github.com/fogkeep/fogkeep/lobby/model"

func (t *Tx) serverState(rest string) (h model.ServerState, err error) {
	err = t.one(`SELECT draining, bans FROM house WHERE id = 1`+rest, nil, &h.Draining, &h.Bans)
	return h, err
}

func (t *Tx) ServerState() (model.ServerState, error) { return t.serverState("") }

// HoldServerState is ServerState, and keeps drain and bans as they are until the
// transaction ends: a transaction that takes a seat holds it.
func (t *Tx) HoldServerState() (model.ServerState, error) { return t.serverState(t.d.ForShare) }

func (t *Tx) SetDraining(on bool) error {
	return t.must(`UPDATE house SET draining = $1 WHERE id = 1`, on)
}
