package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

// Mission is a mission of the server, with the account's best result.
type Mission struct {
	ID       string `json:"id" doc:"PACK/SCENARIO"`
	PackHash string `json:"packHash" doc:"of the index with the mission's texts and objectives, at /packs/{hash}"`
	Scenario string `json:"scenario" doc:"its name in the pack"`
	Stars    int    `json:"stars" minimum:"0" maximum:"3" doc:"most stars of a win; 0: not won yet"`
	Seconds  int    `json:"seconds,omitempty" doc:"of the fastest win"`
}

// MissionList is the missions of the server.
type MissionList struct {
	Missions []Mission `json:"missions" doc:"in their order"`
}

// MissionRequest asks for the match of a mission.
type MissionRequest struct {
	Mission string `json:"mission" maxLength:"160" doc:"id of the mission"`
}

func (a *playerAPI) missions(h huma.API) {
	t := tag("missions")
	asPlayer(a, h, op(http.MethodGet, "/api/missions", "list-missions", "The missions, with one's best results", t),
		func(ctx context.Context, p player, _ *none) (*body[MissionList], error) {
			list, own, err := a.s.Room.OwnMissions(ctx, p.account.ID)
			out := &body[MissionList]{MissionList{[]Mission{}}}
			for _, m := range list {
				out.Body.Missions = append(out.Body.Missions, Mission{m.ID, m.Pack, m.Scenario, own[m.ID].Stars, own[m.ID].Seconds})
			}
			return out, err
		})
	asChanger(a, h, op(http.MethodPost, "/api/play/mission", "play-mission", "A lobby of a mission, started at once", t),
		func(ctx context.Context, p player, in *struct{ Body MissionRequest }) (*body[Lobby], error) {
			return a.out(a.s.Room.PlayMission(ctx, p.caller.Client, p.account, in.Body.Mission))
		})
}
