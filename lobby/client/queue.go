package client

import (
	"context"
	"net/http"

	"github.com/fogkeep/fogkeep/lobby/api"
)

// Queues lists the queues there are.
func (c *Client) Queues(ctx context.Context) ([]api.Queue, error) {
	var out api.QueueList
	err := c.Call(ctx, http.MethodGet, "/api/queues", nil, &out)
	return out.Queues, err
}

// standing makes a request that the account's standing answers.
func (c *Client) standing(ctx context.Context, method, path string, body any) (st api.Standing, err error) {
	err = c.Call(ctx, method, path, body, &st)
	return st, err
}

// Standing tells where the account stands in matchmaking. A waiting player asks at
// least every thirty seconds, or reads GET /api/queue/events (see [Client.Stream]).
func (c *Client) Standing(ctx context.Context) (api.Standing, error) {
	return c.standing(ctx, http.MethodGet, "/api/queue", nil)
}

// JoinQueue puts the account's party into a queue, as its leader, with a wish for a faction; "": a random one. vetoes are ids of maps that
// the party strikes out of the search.
func (c *Client) JoinQueue(ctx context.Context, queue, faction string, vetoes ...string) (api.Standing, error) {
	return c.standing(ctx, http.MethodPost, "/api/queue", api.QueueRequest{Queue: queue, Faction: faction, Vetoes: vetoes})
}

// ChooseFaction notes the faction that the account wishes for, as a member of a party.
func (c *Client) ChooseFaction(ctx context.Context, faction string) (api.Standing, error) {
	return c.standing(ctx, http.MethodPut, "/api/queue/faction", api.FactionRequest{Faction: faction})
}

// LeaveQueue takes the account's party out of its queue.
func (c *Client) LeaveQueue(ctx context.Context) (api.Standing, error) {
	return c.standing(ctx, http.MethodDelete, "/api/queue", nil)
}

// AnswerOffer accepts a match that was found, or does not.
func (c *Client) AnswerOffer(ctx context.Context, offer string, accept bool) (api.Standing, error) {
	return c.standing(ctx, http.MethodPost, "/api/queue/answer", api.OfferAnswer{Offer: offer, Accept: accept})
}
