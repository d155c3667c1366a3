package api

import (
	"context"
	"net/http"
	"time"

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
type NewServiceKey struct {
	Name         string   `json:"name" maxLength:"100" doc:"for people"`
	Issuer       string   `json:"issuer" maxLength:"255" doc:"the issuer of the players that it names: the issuer of the game's log-in, or else any word"`
	Scopes       []string `json:"scopes" minItems:"1" maxItems:"8" enum:"matches:read,matches:write,players:read,webhooks:write"`
	ExpiresHours int      `json:"expiresHours,omitempty" minimum:"0" maximum:"87600" doc:"absent or 0: never"`
}

type (
	serviceKeysOut struct {
		Body struct {
			Keys []ServiceKey `json:"keys"`
		}
	}
	newServiceKeyOut struct {
		Body struct {
			Key    ServiceKey `json:"key"`
			Secret string     `json:"secret" doc:"shown this once"`
		}
	}
)

func secretOut(k model.ServiceKey, secret studio.KeySecret) *newServiceKeyOut {
	out := &newServiceKeyOut{}
	out.Body.Key, out.Body.Secret = serviceKeyOf(k), string(secret)
	return out
}

// keys registers the service keys.
func (a *AdminAPI) keys(h huma.API) {
	t := tag("service keys")
	register(a, h, op(http.MethodGet, "/admin/api/keys", "admin-keys", "Service keys, newest first", t),
		func(ctx context.Context, session *admin.Session, _ *none) (*serviceKeysOut, error) {
			list, err := session.Keys().List(ctx)
			out := &serviceKeysOut{}
			out.Body.Keys = each(list, serviceKeyOf)
			return out, err
		})
	register(a, h, op(http.MethodPost, "/admin/api/keys", "admin-add-key", "Make a service key (admin)", t),
		func(ctx context.Context, session *admin.Session, in *struct{ Body NewServiceKey }) (*newServiceKeyOut, error) {
			n := studio.NewServiceKey{Name: in.Body.Name, Issuer: in.Body.Issuer, Expires: time.Duration(in.Body.ExpiresHours) * time.Hour}
			for _, s := range in.Body.Scopes {
				n.Scopes = append(n.Scopes, model.Scope(s))
			}
			key, secret, err := session.Keys().Add(ctx, n)
			return secretOut(key, secret), err
		})
	register(a, h, op(http.MethodPost, "/admin/api/keys/{id}/rotate", "admin-rotate-key", "Give a service key a new secret (admin)", t),
		func(ctx context.Context, session *admin.Session, in *struct {
			ServiceKeyPath
			Body *struct {
				OverlapHours *int `json:"overlapHours,omitempty" minimum:"0" maximum:"720" doc:"how long the old secret works; 24 if absent"`
			}
		}) (*newServiceKeyOut, error) {
			overlap := studio.KeyOverlap
			if hours := given(in.Body).OverlapHours; hours != nil {
				overlap = time.Duration(*hours) * time.Hour
			}
			key, secret, err := session.Keys().Rotate(ctx, in.ID, overlap)
			return secretOut(key, secret), err
		})
	register(a, h, op(http.MethodPost, "/admin/api/keys/{id}/revoke", "admin-revoke-key", "End a service key at once (admin)", t),
		func(ctx context.Context, session *admin.Session, in *ServiceKeyPath) (*none, error) {
			return nil, session.Keys().Revoke(ctx, in.ID)
		})
}
