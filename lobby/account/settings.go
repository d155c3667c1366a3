package account

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby/core"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// AccountSettingsMax bounds the settings of an account, in bytes of compact JSON.
const AccountSettingsMax = 8 << 10

// AccountSettings returns the settings that an account's client has stored: a JSON
// object, {} at first.
func (s *Service) AccountSettings(ctx context.Context, id model.AccountID) (body json.RawMessage, err error) {
	err = s.Read(ctx, func(tx *db.Tx) (err error) {
		body, err = tx.Accounts.Settings(id)
		if errors.Is(err, model.ErrNotFound) {
			body, err = json.RawMessage("{}"), nil
		}
		return err
	})
	return body, err
}

// Sharing returns the sight that others have of an account.
func (s *Service) Sharing(ctx context.Context, id model.AccountID) (string, error) {
	return core.Get(ctx, s.Core, func(tx *db.Tx) (string, error) { return tx.Accounts.Sharing(id) })
}

// Share sets the sight that others have of an account, at once for past matches too.
func (s *Service) Share(ctx context.Context, id model.AccountID, sharing string) error {
	if !slices.Contains(model.Sharings(), sharing) {
		return model.RefuseField(model.BadRequest, "sharing", "must be name, profile or replays")
	}
	return s.Write(ctx, func(tx *db.Tx) error {
		if err := s.SpendStored(tx, quota.SettingsSaves, quota.Payer{Account: string(id)}); err != nil {
			return err
		}
		return tx.Accounts.SetSharing(id, sharing)
	})
}

// SaveAccountSettings replaces the settings of an account by a JSON object, whose
// content the server does not interpret.
func (s *Service) SaveAccountSettings(ctx context.Context, id model.AccountID, body json.RawMessage) error {
	var small bytes.Buffer
	if err := json.Compact(&small, body); err != nil || small.Bytes()[0] != '{' {
		return model.Refuse(model.BadRequest, "settings are a JSON object")
	}
	if small.Len() > AccountSettingsMax {
		return model.Refuse(model.TooLarge, "settings have at most %d bytes", AccountSettingsMax)
	}
	return s.Write(ctx, func(tx *db.Tx) error {
		if err := s.SpendStored(tx, quota.SettingsSaves, quota.Payer{Account: string(id)}); err != nil {
			return err
		}
		// Locked, so that the account is not deleted meanwhile.
		if _, err := tx.Accounts.Lock(id); err != nil {
			return err
		}
		return tx.Accounts.PutSettings(id, small.Bytes())
	})
}

// Export returns all that the database has about an account and that it may read.
func (s *Service) Export(ctx context.Context, id model.AccountID) (map[string][]map[string]any, error) {
	err := s.Write(ctx, func(tx *db.Tx) error {
		return s.SpendStored(tx, quota.SettingsSaves, quota.Payer{Account: string(id)})
	})
	if err != nil {
		return nil, err
	}
	return core.Get(ctx, s.Core, func(tx *db.Tx) (map[string][]map[string]any, error) { return tx.Accounts.Export(id) })
}
