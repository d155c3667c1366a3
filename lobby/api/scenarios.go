package api

import (
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/fogkeep/fogkeep/lobby/admin"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/room"
)

// scenarioOp describes an operation that takes a scenario. may is its [permission]: the body
// may be large.
func scenarioOp(path, id, summary, about string, t func(*huma.Operation), may func(context.Context) error) huma.Operation {
	return op(http.MethodPost, path, id, summary, t, func(o *huma.Operation) {
		o.Description = about + " The body is a scenario: see docs/build/scenarios.md and docs/scenario.schema.json. Errors name their place in it by a JSON pointer."
		o.MaxBodyBytes = room.ScenarioBytesMax
		o.SkipValidateBody = true // scenario.Parse names the place of the fault
		o.Metadata = map[string]any{permission: may}
	})
}

// describeScenario says in the document that the body is an object, which its type, the
// file as it came, does not.
func describeScenario(h huma.API, path string) {
	h.OpenAPI().Paths[path].Post.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
		"application/json": {Schema: &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true, Description: "a scenario"}},
	}}
}

// scenarioIn is the file as it came: the lobby has it read, so that errors name their
// places.
type scenarioIn struct {
	RawBody []byte `contentType:"application/json"`
}

func (a *playerAPI) scenarios(h huma.API) {
	may := func(ctx context.Context) error {
		_, _, err := a.session(ctx)
		if err == nil && !a.s.Room.PlayerScenarios {
			err = model.ScenariosOff
		}
		return err
	}
	asChanger(a, h, scenarioOp(scenariosPath, "play-scenario", "Make a lobby that plays a scenario, and sit down as its host",
		"It has the seats of the scenario. Only on servers whose operator lets players do so.", tag("lobbies"), may),
		func(ctx context.Context, p player, in *scenarioIn) (*body[Lobby], error) {
			return a.out(a.s.Room.PlayScenario(ctx, p.caller.Client, p.account, in.RawBody))
		})
	describeScenario(h, scenariosPath)
}

// Opened is a lobby that an admin has opened for players.
type Opened struct {
	Lobby
	Link string `json:"link" doc:"by which players join it"`
}

func (a *AdminAPI) scenarios(h huma.API) {
	may := func(ctx context.Context) error {
		_, err := a.session(ctx)
		return err
	}
	register(a, h, scenarioOp("/admin"+scenariosPath, "admin-open-scenario", "Make a lobby that plays a scenario (moderator)",
		"It has the seats of the scenario. The first player who joins is its host.", tag("lobbies and matches"), may),
		func(ctx context.Context, session *admin.Session, in *scenarioIn) (*body[Opened], error) {
			return a.opened(session.OpenScenario(ctx, in.RawBody))
		})
	describeScenario(h, "/admin"+scenariosPath)
}

func (a *AdminAPI) opened(l *model.Lobby, err error) (*body[Opened], error) {
	if err != nil {
		return nil, err
	}
	link := strings.TrimSuffix(a.config.PublicURL, "/") + "/#lobby=" + string(l.ID)
	return &body[Opened]{Opened{lobbyOf(l, a.s.Now()), link}}, nil
}
