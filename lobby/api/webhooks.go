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

// NewWebhookEndpoint is an endpoint to be registered.
type NewWebhookEndpoint = hook.NewWebhookEndpoint

// DeadEvent is an event that an endpoint did not take, and that is not tried any more.
type DeadEvent model.HookEvent

// WebhookPath is exported since huma skips embedded types that are not.
type WebhookPath struct {
	ID string `path:"id" maxLength:"64" pattern:"^[0-9a-f-]+$" doc:"the endpoint's id"`
}

type (
	webhooksOut struct {
		Body struct {
			Endpoints []model.WebhookEndpoint `json:"endpoints"`
		}
	}
	newWebhookOut struct {
		Body struct {
			Endpoint model.WebhookEndpoint `json:"endpoint"`
			Secret   string                `json:"secret" doc:"the key of the signatures of events; shown only once"`
		}
	}
	deadOut struct {
		Body struct {
			Events []DeadEvent `json:"events"`
			Next   int64       `json:"next,omitempty" doc:"pass as before for the next page; absent at the end"`
		}
	}
)

// withoutPast leaves out when the old secret ended.
func withoutPast(e model.WebhookEndpoint, now time.Time) model.WebhookEndpoint {
	if !e.OldUntil.After(now) {
		e.OldUntil = time.Time{}
	}
	return e
}

func newWebhook(e model.WebhookEndpoint) *newWebhookOut {
	out := &newWebhookOut{}
	out.Body.Endpoint, out.Body.Secret = withoutPast(e, e.Created), string(e.Secret)
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
	registerWith(h, of(http.MethodGet, "/webhooks", "webhooks", "Webhook endpoints, newest first"), find,
		func(ctx context.Context, w *hook.Webhooks, _ *none) (*webhooksOut, error) {
			list, err := w.List(ctx)
			out := &webhooksOut{}
			out.Body.Endpoints = each(list, func(e model.WebhookEndpoint) model.WebhookEndpoint { return withoutPast(e, time.Now()) })
			return out, err
		})
	registerWith(h, of(http.MethodPost, "/webhooks", "add-webhook", "Register a webhook endpoint"+needs), find,
		func(ctx context.Context, w *hook.Webhooks, in *body[NewWebhookEndpoint]) (*newWebhookOut, error) {
			e, err := w.Add(ctx, in.Body)
			return newWebhook(e), err
		})
	registerWith(h, of(http.MethodPost, "/webhooks/{id}/rotate", "rotate-webhook", "Give a webhook endpoint a new secret"+needs), find,
		func(ctx context.Context, w *hook.Webhooks, in *struct {
			WebhookPath
			Body *struct {
				OverlapHours *int `json:"overlapHours,omitempty" minimum:"0" maximum:"720" doc:"how long it is signed with the old secret too; 24 if absent"`
			}
		}) (*newWebhookOut, error) {
			e, err := w.Rotate(ctx, in.ID, overlap(given(in.Body).OverlapHours))
			return newWebhook(e), err
		})
	registerWith(h, of(http.MethodDelete, "/webhooks/{id}", "delete-webhook", "Delete a webhook endpoint, with its waiting events"+needs), find,
		func(ctx context.Context, w *hook.Webhooks, in *WebhookPath) (*none, error) {
			return nil, w.Delete(ctx, in.ID)
		})
	registerWith(h, of(http.MethodGet, "/webhooks/dead", "dead-events", "Events that endpoints did not take, newest first"), find,
		func(ctx context.Context, w *hook.Webhooks, in *pageIn) (*deadOut, error) {
			list, err := w.Dead(ctx, in.Before, deadPage)
			out := &deadOut{}
			out.Body.Events = each(list, func(e model.HookEvent) DeadEvent { return DeadEvent(e) })
			out.Body.Next = next(list, deadPage, func(x model.HookEvent) int64 { return x.Num })
			return out, err
		})
	registerWith(h, of(http.MethodPost, "/webhooks/dead/{num}/retry", "retry-event", "Try a dead event again"+needs), find,
		func(ctx context.Context, w *hook.Webhooks, in *struct {
			Num int64 `path:"num" minimum:"1" doc:"the dead event's"`
		}) (*none, error) {
			return nil, w.Retry(ctx, in.Num)
		})
}

// overlap is the time for which an old secret works beside its successor.
func overlap(hours *int) time.Duration {
	if hours == nil {
		return studio.KeyOverlap
	}
	return time.Duration(*hours) * time.Hour
}
