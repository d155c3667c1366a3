package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/fogkeep/fogkeep/lobby/admin"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/studio"
)

// ServiceKeyPath is exported since huma skips embedded types that are not.
type ServiceKeyPath struct {
	ID string `path:"id" maxLength:"64" pattern:"^[0-9a-f-]+$" doc:"the key's id"`
}

// NewServiceKey is a service key to be made.
type NewServiceKey = studio.NewServiceKey

type (
	serviceKeysOut struct {
		Body struct {
			Keys []model.ServiceKey `json:"keys"`
		}
	}
	newServiceKeyOut struct {
		Body struct {
			Key    model.ServiceKey `json:"key"`
			Secret string           `json:"secret" doc:"shown this once"`
		}
	}
)

func secretOut(k model.ServiceKey, secret studio.KeySecret) *newServiceKeyOut {
	out := &newServiceKeyOut{}
	out.Body.Key, out.Body.Secret = k, string(secret)
	return out
}

// keys registers the service keys.
func (a *AdminAPI) keys(h huma.API) {
	t := tag("service keys")
	register(a, h, op(http.MethodGet, "/admin/api/keys", "admin-keys", "Service keys, newest first", t),
		func(ctx context.Context, session *admin.Session, _ *none) (*serviceKeysOut, error) {
			list, err := session.Keys().List(ctx)
			out := &serviceKeysOut{}
			out.Body.Keys = append([]model.ServiceKey{}, list...)
			return out, err
		})
	register(a, h, op(http.MethodPost, "/admin/api/keys", "admin-add-key", "Make a service key (admin)", t),
		func(ctx context.Context, session *admin.Session, in *body[NewServiceKey]) (*newServiceKeyOut, error) {
			key, secret, err := session.Keys().Add(ctx, in.Body)
			return secretOut(key, secret), err
		})
	register(a, h, op(http.MethodPost, "/admin/api/keys/{id}/rotate", "admin-rotate-key", "Give a service key a new secret (admin)", t),
		func(ctx context.Context, session *admin.Session, in *struct {
			ServiceKeyPath
			Body *struct {
				OverlapHours *int `json:"overlapHours,omitempty" minimum:"0" maximum:"720" doc:"how long the old secret works; 24 if absent"`
			}
		}) (*newServiceKeyOut, error) {
			key, secret, err := session.Keys().Rotate(ctx, in.ID, overlap(given(in.Body).OverlapHours))
			return secretOut(key, secret), err
		})
	register(a, h, op(http.MethodPost, "/admin/api/keys/{id}/revoke", "admin-revoke-key", "End a service key at once (admin)", t),
		func(ctx context.Context, session *admin.Session, in *ServiceKeyPath) (*none, error) {
			return nil, session.Keys().Revoke(ctx, in.ID)
		})
}
