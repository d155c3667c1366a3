package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/fogkeep/fogkeep/lobby/admin"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// Pack is a pack as shown to admins.
type Pack struct {
	model.PackInfo
	Published *time.Time `json:"published,omitempty" doc:"absent: lobbies cannot choose it"`
	By        string     `json:"by,omitempty" doc:"the admin who published it"`
}

// packReadTimeout is the time for an upload, also over a slow line.
const packReadTimeout = 5 * time.Minute

type packsOut struct {
	Body struct {
		Packs []Pack `json:"packs" doc:"by name and version; a published one that this server does not have is without a title"`
	}
}

// packsPath is where admins list packs, and upload one.
const packsPath = "/admin/api/packs"

// packs registers the operations on packs.
func (a *AdminAPI) packs(h huma.API) {
	t := tag("packs")
	register(a, h, op(http.MethodGet, packsPath, "admin-packs", "The packs in this server's folder", t),
		func(ctx context.Context, session *admin.Session, _ *none) (*packsOut, error) {
			list, err := session.Packs(ctx)
			out := &packsOut{}
			out.Body.Packs = each(list, func(p admin.PackRow) Pack { return Pack{p.PackInfo, when(p.Published), p.By} })
			return out, err
		})
	register(a, h, op(http.MethodPost, "/admin/api/packs/{hash}/publish", "admin-publish-pack", "Let lobbies choose a pack, in place of its other versions (admin)", t),
		func(ctx context.Context, session *admin.Session, in *struct {
			Hash string `path:"hash" maxLength:"64" pattern:"^[0-9a-f]+$"`
		}) (*none, error) {
			return nil, session.PublishPack(ctx, in.Hash)
		})
	// Not in the document, from which clients are made: its body is no JSON.
	register(a, h, op(http.MethodPost, packsPath, "admin-add-pack", "Add a pack to this server's folder (admin)", t, func(o *huma.Operation) {
		o.Hidden, o.SkipValidateBody, o.MaxBodyBytes, o.BodyReadTimeout = true, true, model.PackBytesMax, packReadTimeout
		o.Metadata = map[string]any{permission: func(ctx context.Context) error {
			session, err := a.session(ctx)
			if err != nil {
				return err
			}
			return session.MayAddPacks()
		}}
	}),
		func(ctx context.Context, session *admin.Session, in *struct {
			RawBody []byte `contentType:"application/octet-stream"`
		}) (*body[Pack], error) {
			info, err := session.AddPack(ctx, in.RawBody)
			return &body[Pack]{Pack{PackInfo: info}}, err
		})
	register(a, h, op(http.MethodPost, "/admin/api/packs/{hash}/scenarios/{scenario}", "admin-open-pack-scenario", "Make a lobby that plays a scenario of a published pack (moderator)", t),
		func(ctx context.Context, session *admin.Session, in *struct {
			Hash     string `path:"hash" maxLength:"64" pattern:"^[0-9a-f]+$"`
			Scenario string `path:"scenario" maxLength:"120"`
		}) (*body[Opened], error) {
			return a.opened(session.OpenPackScenario(ctx, in.Hash, in.Scenario))
		})
	register(a, h, op(http.MethodPost, "/admin/api/packs/{name}/withdraw", "admin-withdraw-pack", "Let lobbies choose no version of a pack any more (admin)", t),
		func(ctx context.Context, session *admin.Session, in *struct {
			Name string `path:"name" maxLength:"40"`
		}) (*none, error) {
			return nil, session.WithdrawPack(ctx, in.Name)
		})
}
