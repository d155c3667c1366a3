package admin

import (
	"context"
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// PackRow is a pack of this server as admins see it.
type PackRow struct {
	model.PackInfo
	Published time.Time // zero: lobbies cannot choose it
	By        string
}

// Packs lists the packs of this server. A published version that this server does not have is a row without a title.
func (as *Session) Packs(ctx context.Context) (out []PackRow, err error) {
	published, err := ask(ctx, as, func(tx *db.Tx) ([]model.PublishedPack, error) { return tx.Packs.Published() })
	if err != nil {
		return nil, err
	}
	for _, p := range as.s.packs() {
		out = append(out, PackRow{PackInfo: p})
	}
	for _, p := range published {
		i := slices.IndexFunc(out, func(r PackRow) bool { return r.Hash == p.Hash })
		if i < 0 {
			i, out = len(out), append(out, PackRow{PackInfo: model.PackInfo{Name: p.Name, Hash: p.Hash}})
		}
		out[i].Published, out[i].By = p.At, p.By
	}
	return out, nil
}

// PublishPack lets lobbies choose a pack of this server, in place of another version. Matches that run, and lobbies with a
// chosen ruleset, keep theirs until they start.
func (as *Session) PublishPack(ctx context.Context, hash string) error {
	packs := as.s.packs()
	i := slices.IndexFunc(packs, func(p model.PackInfo) bool { return p.Hash == hash })
	if i < 0 {
		return model.Refuse(model.NotFound, "this server has no pack with the hash %s: add it with fogkeep pack add, and have the server read its packs again (SIGHUP)", model.CutText(hash, 64))
	}
	err := as.act(ctx, model.FullAdmin, "pack.publish", func(tx *db.Tx) (string, string, error) {
		return packs[i].Name, hash, tx.Packs.Publish(packs[i].Name, hash, as.admin.Name, as.s.Now())
	})
	if err != nil {
		return err
	}
	return as.s.OfferPacks(ctx)
}

// MayAddPacks says whether the admin may add packs: before the server reads a large file.
func (as *Session) MayAddPacks() error {
	if as.admin.Role.Covers(model.FullAdmin) {
		return nil
	}
	return model.Refuse(model.Forbidden, "this needs the role %s; yours is %s", model.FullAdmin, as.admin.Role)
}

// AddPack checks the file of a pack and puts it into this server's folder of packs. Lobbies cannot choose it until it is
// published.
func (as *Session) AddPack(ctx context.Context, file []byte) (added model.PackInfo, err error) {
	if err := as.MayAddPacks(); err != nil {
		return added, err
	}
	if as.s.Offered == nil {
		return added, model.NotFound
	}
	if added, err = as.s.Offered.Add(file); err != nil {
		return added, err
	}
	return added, as.act(ctx, model.FullAdmin, "pack.add", func(*db.Tx) (string, string, error) { return added.Name, added.Hash, nil })
}

// OpenPackScenario makes a lobby that plays a scenario of a published pack, for the first player who joins.
func (as *Session) OpenPackScenario(ctx context.Context, hash, id string) (*model.Lobby, error) {
	if as.s.Offered != nil {
		if file, ok := as.s.Offered.Scenario(hash, id); ok {
			return as.OpenScenario(ctx, file)
		}
	}
	return nil, model.Refuse(model.NotFound, "no published pack with this hash has the scenario %q", model.CutText(id, 40))
}

// WithdrawPack lets lobbies choose no version of a pack any more. Matches that run go on.
func (as *Session) WithdrawPack(ctx context.Context, name string) error {
	if err := as.act(ctx, model.FullAdmin, "pack.withdraw", func(tx *db.Tx) (string, string, error) {
		return name, "", tx.Packs.Withdraw(name)
	}); err != nil {
		return err
	}
	return as.s.OfferPacks(ctx)
}

func (s *Service) packs() []model.PackInfo {
	if s.Offered == nil {
		return nil
	}
	return s.Offered.Packs()
}

// OfferPacks reads the published packs from the store, and offers them. Another node may have changed them.
func (s *Service) OfferPacks(ctx context.Context) error {
	if len(s.packs()) == 0 {
		return nil
	}
	var published []model.PublishedPack
	err := s.Read(ctx, func(tx *db.Tx) (err error) {
		published, err = tx.Packs.Published()
		return err
	})
	if err == nil {
		s.Offered.Offer(published)
	}
	return err
}
