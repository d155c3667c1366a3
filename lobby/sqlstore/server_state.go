package sqlstore

import "github.com/fogkeep/fogkeep/lobby/model"

func (t *tx) serverState(rest string) (h model.ServerState, err error) {
	err = t.one(`SELECT draining, bans FROM house WHERE id = 1`+rest, nil, &h.Draining, &h.Bans)
	return h, err
}

func (t *tx) ServerState() (model.ServerState, error) { return t.serverState("") }

func (t *tx) HoldServerState() (model.ServerState, error) { return t.serverState(t.d.ForShare) }

func (t *tx) SetDraining(on bool) error {
	return t.must(`UPDATE house SET draining = $1 WHERE id = 1`, on)
}
