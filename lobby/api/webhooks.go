package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/fogkeep/fogkeep/lobby/hook"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/studio"
)

// WebhookEndpoint is a webhook endpoint, without its secrets.
type WebhookEndpoint struct {
	ID       string     `json:"id"`
	Issuer   string     `json:"issuer,omitempty" doc:"the issuer of the matches and players in its events; absent: all"`
	URL      string     `json:"url"`
	Events   []string   `json:"events"`
	By       string     `json:"by" doc:"the admin who registered it, or key: and a service key's id"`
	Created  time.Time  `json:"created"`
	OldUntil *time.Time `json:"oldUntil,omitempty" doc:"until when it is signed with the secret before the last rotation too"`
}

// NewWebhookEndpoint is an endpoint to be registered.
type NewWebhookEndpoint struct {
	Issuer string   `json:"issuer,omitempty" maxLength:"255" doc:"admins only; absent: all matches and players"`
	URL    string   `json:"url" maxLength:"1000" doc:"http or https, at a public address unless the server is configured otherwise; no name or password; port 80, 443 or above 1023"`
	Events []string `json:"events,omitempty" maxItems:"20" enum:"match.started,match.ended,player.joined,player.left,player.kicked,account.banned,account.unbanned" doc:"absent: all"`
}

// DeadEvent is an event that an endpoint did not take, and that is not tried any more.
type DeadEvent struct {
	Num      int64     `json:"num"`
	ID       string    `json:"id" doc:"of the event"`
	Endpoint string    `json:"endpoint" doc:"the endpoint's id"`
	Kind     string    `json:"kind"`
	Created  time.Time `json:"created"`
	Dead     time.Time `json:"dead"`
	Tries    int       `json:"tries"`
	Failure  string    `json:"failure" doc:"of the last try"`
}

// WebhookPath is exported since huma skips embedded types that are not.
type WebhookPath struct {
	ID string `path:"id" maxLength:"64" pattern:"^[0-9a-f-]+$" doc:"the endpoint's id"`
}

type (
	webhooksOut struct {
		Body struct {
			Endpoints []WebhookEndpoint `json:"endpoints"`
		}
	}
	newWebhookOut struct {
		Body struct {
			Endpoint WebhookEndpoint `json:"endpoint"`
			Secret   string          `json:"secret" doc:"the key of the signatures of events; shown only once"`
		}
	}
	deadOut struct {
		Body struct {
			Events []DeadEvent `json:"events"`
			Next   int64       `json:"next,omitempty" doc:"pass as before for the next page; absent at the end"`
		}
	}
)

func endpointOf(e model.WebhookEndpoint, now time.Time) WebhookEndpoint {
	out := WebhookEndpoint{ID: e.ID, Issuer: e.Issuer, URL: e.URL, Events: []string{}, By: e.By, Created: e.Created}
	for _, k := range e.Events {
		out.Events = append(out.Events, string(k))
	}
	if e.OldUntil.After(now) {
		out.OldUntil = when(e.OldUntil)
	}
	return out
}

func newWebhook(e model.WebhookEndpoint) *newWebhookOut {
	out := &newWebhookOut{}
	out.Body.Endpoint, out.Body.Secret = endpointOf(e, e.Created), string(e.Secret)
	return out
}

// deadPage is how many dead events are listed at once.
const deadPage = 50

// webhooks registers the endpoints of webhooks, for admins or for service keys: find
// returns the endpoints that the caller manages.
func webhooks(h huma.API, prefix, id string, admin bool, find func(context.Context) (*hook.Webhooks, error), change func(huma.Operation) huma.Operation) {
	t := tag("webhooks")
	of := func(method, path, name, summary string) huma.Operation {
		return change(op(method, prefix+path, id+"-"+name, summary, t))
	}
	needs := ""
	if admin {
		needs = " (admin)"
	}
	huma.Register(h, of(http.MethodGet, "/webhooks", "webhooks", "Webhook endpoints, newest first"),
		func(ctx context.Context, _ *none) (*webhooksOut, error) {
			w, err := find(ctx)
			if err != nil {
				return nil, problem(err)
			}
			list, err := w.List(ctx)
			out := &webhooksOut{}
			out.Body.Endpoints = make([]WebhookEndpoint, 0, len(list))
			for _, e := range list {
				out.Body.Endpoints = append(out.Body.Endpoints, endpointOf(e, time.Now()))
			}
			return out, problem(err)
		})
	huma.Register(h, of(http.MethodPost, "/webhooks", "add-webhook", "Register a webhook endpoint"+needs),
		func(ctx context.Context, in *struct{ Body NewWebhookEndpoint }) (*newWebhookOut, error) {
			w, err := find(ctx)
			if err != nil {
				return nil, problem(err)
			}
			n := hook.NewEndpoint{URL: in.Body.URL, Issuer: in.Body.Issuer}
			for _, k := range in.Body.Events {
				n.Events = append(n.Events, model.HookKind(k))
			}
			e, err := w.Add(ctx, n)
			return newWebhook(e), problem(err)
		})
	huma.Register(h, of(http.MethodPost, "/webhooks/{id}/rotate", "rotate-webhook", "Give a webhook endpoint a new secret"+needs),
		func(ctx context.Context, in *struct {
			WebhookPath
			Body *struct {
				OverlapHours *int `json:"overlapHours,omitempty" minimum:"0" maximum:"720" doc:"how long it is signed with the old secret too; 24 if absent"`
			}
		}) (*newWebhookOut, error) {
			w, err := find(ctx)
			if err != nil {
				return nil, problem(err)
			}
			overlap := studio.KeyOverlap
			if hours := given(in.Body).OverlapHours; hours != nil {
				overlap = time.Duration(*hours) * time.Hour
			}
			e, err := w.Rotate(ctx, in.ID, overlap)
			return newWebhook(e), problem(err)
		})
	huma.Register(h, of(http.MethodDelete, "/webhooks/{id}", "delete-webhook", "Delete a webhook endpoint, with its waiting events"+needs),
		func(ctx context.Context, in *WebhookPath) (*none, error) {
			w, err := find(ctx)
			if err == nil {
				err = w.Delete(ctx, in.ID)
			}
			return nil, problem(err)
		})
	huma.Register(h, of(http.MethodGet, "/webhooks/dead", "dead-events", "Events that endpoints did not take, newest first"),
		func(ctx context.Context, in *pageIn) (*deadOut, error) {
			w, err := find(ctx)
			if err != nil {
				return nil, problem(err)
			}
			list, err := w.Dead(ctx, in.Before, deadPage)
			out := &deadOut{}
			out.Body.Events = make([]DeadEvent, 0, len(list))
			for _, e := range list {
				out.Body.Events = append(out.Body.Events, DeadEvent{e.Num, e.ID, e.Endpoint, string(e.Kind), e.Created, e.Dead, e.Tries, e.Failure})
			}
			if len(list) == deadPage {
				out.Body.Next = list[len(list)-1].Num
			}
			return out, problem(err)
		})
	huma.Register(h, of(http.MethodPost, "/webhooks/dead/{num}/retry", "retry-event", "Try a dead event again"+needs),
		func(ctx context.Context, in *struct {
			Num int64 `path:"num" minimum:"1" doc:"the dead event's"`
		}) (*none, error) {
			w, err := find(ctx)
			if err == nil {
				err = w.Retry(ctx, in.Num)
			}
			return nil, problem(err)
		})
}
