package client

import (
	"context"
	"net/http"
	"net/url"

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

// JoinQueue puts the account's party into a queue, as its leader.
func (c *Client) JoinQueue(ctx context.Context, queue string) (api.Standing, error) {
	return c.standing(ctx, http.MethodPost, "/api/queue", api.QueueRequest{Queue: queue})
}

// LeaveQueue takes the account's party out of its queue.
func (c *Client) LeaveQueue(ctx context.Context) (api.Standing, error) {
	return c.standing(ctx, http.MethodDelete, "/api/queue", nil)
}

// AnswerOffer accepts a match that was found, or does not.
func (c *Client) AnswerOffer(ctx context.Context, offer string, accept bool) (api.Standing, error) {
	return c.standing(ctx, http.MethodPost, "/api/queue/answer", api.OfferAnswer{Offer: offer, Accept: accept})
}

// MakeParty makes a party that others can join by its code.
func (c *Client) MakeParty(ctx context.Context) (api.Standing, error) {
	return c.standing(ctx, http.MethodPost, "/api/party", nil)
}

// JoinParty joins the party of an invitation.
func (c *Client) JoinParty(ctx context.Context, code string) (api.Standing, error) {
	return c.standing(ctx, http.MethodPost, "/api/party/join", api.PartyJoin{Code: code})
}

// LeaveParty leaves the party.
func (c *Client) LeaveParty(ctx context.Context) (api.Standing, error) {
	return c.standing(ctx, http.MethodPost, "/api/party/leave", nil)
}

// RemoveMember takes another out of the party, as its leader.
func (c *Client) RemoveMember(ctx context.Context, account string) (api.Standing, error) {
	return c.standing(ctx, http.MethodDelete, "/api/party/members/"+url.PathEscape(account), nil)
}

// Leaderboard returns a page of a queue's leaderboard: "" is the first, then the
// next of the page before.
func (c *Client) Leaderboard(ctx context.Context, queue, page string) (out api.Leaderboard, err error) {
	err = c.Call(ctx, http.MethodGet, "/api/leaderboards/"+url.PathEscape(queue)+"?page="+url.QueryEscape(page), nil, &out)
	return out, err
}

// Ratings returns the account's own ratings.
func (c *Client) Ratings(ctx context.Context) ([]api.OwnRating, error) {
	var out api.OwnRatings
	err := c.Call(ctx, http.MethodGet, "/api/me/ratings", nil, &out)
	return out.Ratings, err
}
