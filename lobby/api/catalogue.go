package api

import (
	"context"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/replay"
)

// Catalogue is a page of the catalogue of replays.
type Catalogue struct {
	Replays []CatalogueReplay `json:"replays" doc:"newest first. A page may have fewer than 25, even 0, and still a next"`
	Next    int64             `json:"next,omitempty" doc:"pass as before for the next page; absent at the end"`
}

// CatalogueReplay is a replay in the catalogue.
type CatalogueReplay struct {
	ReplayFacts
	Rating  int    `json:"rating" doc:"mean of the players' points when it began; 0: unrated"`
	Version string `json:"version" doc:"of the simulation: replays of other versions cannot be watched here; 0: unknown"`
}

func (a *playerAPI) catalogue(h huma.API) {
	t := tag("replays")
	asPlayer(a, h, op(http.MethodGet, "/api/catalogue", "catalogue", "Replays that all their players share, newest first", t),
		func(ctx context.Context, p player, in *struct {
			Player     string `query:"player" maxLength:"100" doc:"the whole name of a player"`
			Map        string `query:"map" maxLength:"200" doc:"map id"`
			Mode       string `query:"mode" maxLength:"40"`
			MinSeconds int    `query:"minSeconds" minimum:"0" maximum:"1000000"`
			MaxSeconds int    `query:"maxSeconds" minimum:"0" maximum:"1000000" doc:"0: any"`
			MinRating  int    `query:"minRating" minimum:"0" maximum:"100000"`
			MaxRating  int    `query:"maxRating" minimum:"0" maximum:"100000" doc:"0: any, also unrated"`
			Version    int64  `query:"version" minimum:"0" doc:"of the simulation; 0: any"`
			Before     int64  `query:"before" minimum:"0" doc:"next of the page before"`
		}) (*body[Catalogue], error) {
			page, next, err := a.s.Replay.Catalogue(ctx, p.caller.Client, p.account.ID, replay.Search{
				Player: in.Player, Map: in.Map, Mode: in.Mode, Shortest: in.MinSeconds, Longest: in.MaxSeconds,
				Weakest: in.MinRating, Best: in.MaxRating, Version: in.Version, Before: in.Before,
			})
			return &body[Catalogue]{Catalogue{each(page, func(f replay.Found) CatalogueReplay {
				return CatalogueReplay{factsOf(&f.Replay), f.Rating, strconv.FormatInt(f.Version, 10)}
			}), next}}, err
		})
	for _, part := range []struct {
		path, id, summary string
		timeline          bool
	}{
		{"/api/catalogue/{match}/journal", "catalogue-journal", "A replay of the catalogue as lines of JSON: every input with its answer, every state hash", false},
		{"/api/catalogue/{match}/timeline", "catalogue-timeline", "A replay of the catalogue as lines of JSON: its events, and each player's values", true},
	} {
		o := op(http.MethodGet, part.path, part.id, part.summary, t)
		o.Description = "docs/reference/archive.md describes the lines. Without its last line, `{\"kind\":\"end\"}`, an answer is incomplete."
		o.Responses = map[string]*huma.Response{"200": {
			Description: "the lines",
			Content:     map[string]*huma.MediaType{"application/x-ndjson": {Schema: &huma.Schema{Type: "string"}}},
		}}
		asPlayer(a, h, o, func(ctx context.Context, p player, in *ReplayPath) (*huma.StreamResponse, error) {
			write, err := a.s.Replay.Archive(ctx, p.caller.Client, &p.account, model.MatchID(in.Match), part.timeline)
			if err != nil {
				return nil, err
			}
			return &huma.StreamResponse{Body: func(h huma.Context) {
				h.SetHeader("Content-Type", "application/x-ndjson")
				_ = write(h.BodyWriter()) // the client sees that the last line is missing
			}}, nil
		})
	}
}
