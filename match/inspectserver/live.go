package inspectserver

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/inspect"
	"github.com/fogkeep/fogkeep/match/spec"
	"github.com/fogkeep/fogkeep/minimap"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// LivePrefix is the path below which the operations about running matches are.
const LivePrefix = "/admin/api/live/matches/"

// Owner answers a request about a match where the match runs: with here, or at another
// node.
type Owner func(w http.ResponseWriter, r *http.Request, match string, local http.HandlerFunc)

// RegisterLive adds the operations about running matches to the admins' API: the picture,
// the traffic and the packet log of a match as its service has it. behind and guard are as
// for [Service.Register]; owner nil: every match runs here.
func (s *Service) RegisterLive(api huma.API, behind func(*huma.Operation), guard Guard, owner Owner) {
	if owner == nil {
		owner = func(w http.ResponseWriter, r *http.Request, _ string, local http.HandlerFunc) { local(w, r) }
	}
	r := &registration{s, api, behind, guard}
	schemas := api.OpenAPI().Components.Schemas
	picture := &huma.Response{
		Content: map[string]*huma.MediaType{"image/png": {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}},
		Headers: map[string]*huma.Param{tickHeader: {Description: "the tick that the picture shows", Schema: &huma.Schema{Type: huma.TypeInteger}}},
	}
	registerLive(r, owner, "/minimap.png", "live-minimap", "The minimap of a live match at its newest tick", "", picture, func(ctx context.Context, in *struct {
		MatchIn
		EyesIn
		Scale int `query:"scale" minimum:"1" maximum:"16" doc:"pixels per tile; default: as many as fit into 512 pixels"`
	}, w http.ResponseWriter) error {
		return s.picture(ctx, in.Match, in.eyes(), in.Scale, w)
	})
	traffic := &huma.Response{Content: map[string]*huma.MediaType{"application/json": {Schema: schemas.Schema(reflect.TypeFor[spec.LiveTraffic](), true, "")}}}
	registerLive(r, owner, "/traffic", "live-traffic", "Traffic on the sockets of a live match's clients", "", traffic, func(ctx context.Context, in *struct {
		MatchIn
		AllIn
	}, w http.ResponseWriter) error {
		t, err := s.cfg.Live.Traffic(ctx, in.Match)
		if err != nil {
			return err
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		return gone(json.NewEncoder(w).Encode(t))
	})
	lines := &huma.Response{Content: map[string]*huma.MediaType{"application/x-ndjson": {Schema: &huma.Schema{Type: huma.TypeString}}}}
	schemas.Schema(reflect.TypeFor[spec.TraceLine](), true, "")
	registerLive(r, owner, "/trace", "live-trace", "The packet log of a live match", "A line of JSON, a SpecTraceLine, for each message that the server or the client sends from now on.", lines, func(ctx context.Context, in *struct {
		MatchIn
		AllIn          // frames may be of any team
		Slot    string `query:"slot" required:"true" pattern:"^(spectators|[0-9]{1,2})$" doc:"a player's slot, or spectators"`
		Seconds int    `query:"seconds" minimum:"1" maximum:"300" default:"30" doc:"how long"`
		From    string `query:"from" enum:"server,client" doc:"only messages of this sender"`
		Part    string `query:"part" maxLength:"40" doc:"only messages with this part, and its rows"`
		Entity  uint32 `query:"entity" doc:"only messages about the entity that has this number with the player; 0: all"`
	}, w http.ResponseWriter) error {
		if in.Part != "" && wire.PartNamed(in.Part) == 0 {
			return refuse("bad_query", "no message has the part %q; docs/reference/protocol.md lists the parts", in.Part)
		}
		filter := spec.PacketFilter{From: in.From, Part: in.Part, Entity: grid.Handle(in.Entity)}
		slot := grid.NoSlot
		if n, err := strconv.Atoi(in.Slot); err == nil { // the pattern holds
			slot = grid.Slot(n)
		}
		ctx, cancel := context.WithTimeout(ctx, time.Duration(in.Seconds)*time.Second)
		defer cancel()
		return s.trace(ctx, in.Match, slot, &filter, w)
	})
}

// Here answers what other nodes pass on to this one about matches that run here. Those
// nodes have asked for the rights.
func (s *Service) Here() http.Handler {
	mux := chi.NewMux()
	s.RegisterLive(humachi.New(mux, huma.DefaultConfig("", "")), func(*huma.Operation) {}, func(ctx context.Context, _ string, _ int) (context.Context, func(), error) {
		return ctx, func() {}, nil
	}, nil)
	return mux
}

// registerLive adds an operation whose answer do writes, or whose error it returns.
func registerLive[I look](r *registration, owner Owner, path, id, summary, about string, ok *huma.Response, do func(context.Context, *I, http.ResponseWriter) error) {
	ok.Description = "OK"
	o := huma.Operation{
		Method: http.MethodGet, Path: LivePrefix + "{match}" + path, OperationID: id, Summary: summary, Description: about, Tags: []string{"live"},
		Security: []map[string][]string{{"bearer": {}}, {"cookie": {}}}, Responses: map[string]*huma.Response{"200": ok},
	}
	r.security(&o)
	huma.Register(r.api, o, func(ctx context.Context, in *I) (*huma.StreamResponse, error) {
		match := (*in).match()
		ctx, done, err := r.guard(ctx, match, (*in).eyes())
		if err != nil {
			return nil, err
		}
		return &huma.StreamResponse{Body: func(h huma.Context) {
			defer done()
			req, w := humachi.Unwrap(h)
			owner(w, req.WithContext(ctx), match, func(w http.ResponseWriter, req *http.Request) {
				if err := do(req.Context(), in, w); err != nil && !errors.Is(err, errGone) {
					r.s.answerOf(match, err).Write(w)
				}
			})
		}}, nil
	})
}

// errGone is the error of an answer that has begun: its client takes no other.
var errGone = errors.New("the client has gone")

func gone(err error) error {
	if err != nil {
		return errGone
	}
	return nil
}

const tickHeader = "Fogkeep-Tick" // of a picture

// The document has the largest scale as a number.
const _ = uint(minimap.ScaleMax-16) + uint(16-minimap.ScaleMax)

func (s *Service) picture(ctx context.Context, match string, eyes, scale int, w http.ResponseWriter) error {
	team := grid.NoTeam
	if eyes != inspect.AllEyes {
		team = grid.Team(eyes)
	}
	p, err := s.cfg.Live.Inspect(ctx, match, team)
	if err != nil {
		return err
	}
	png, err := s.pictures.draw(match, eyes, minimap.StateOf(p.Picture, p.Map, p.Color), scale)
	if err != nil {
		return badQuery("scale", "%v", err)
	}
	w.Header().Set("Content-Type", "image/png")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set(tickHeader, strconv.FormatUint(uint64(p.Tick), 10))
	_, err = w.Write(png)
	return gone(err)
}

// trace writes a line of JSON for each message from and to a slot that the filter chooses.
func (s *Service) trace(ctx context.Context, match string, slot grid.Slot, filter *spec.PacketFilter, w http.ResponseWriter) error {
	control := http.NewResponseController(w)
	header := w.Header()
	begun := false
	begin := func() {
		begun = true
		header.Set("Content-Type", "application/x-ndjson")
		header.Set("Cache-Control", "no-store")
		header.Set("X-Accel-Buffering", "no")
	}
	lost := 0 // since the last line that the filter chose
	err := s.cfg.Live.Trace(ctx, match, slot, func(l spec.TraceLine) error {
		lost += l.Lost
		if !filter.Keep(&l) {
			return nil
		}
		l.Lost, lost = lost, 0
		begin()
		b, err := json.Marshal(l)
		if err != nil {
			return err
		}
		_ = control.SetWriteDeadline(time.Now().Add(writeTimeout)) // not every writer has deadlines
		if _, err := w.Write(append(b, '\n')); err != nil {
			return err
		}
		return control.Flush()
	})
	switch full := (*quota.Refusal)(nil); {
	case err == nil:
		begin() // it may be that nothing was sent
	case begun:
		s.cfg.Logger.Debug("a packet log ended", "match", match, "error", err)
		return errGone
	case errors.As(err, &full):
		return refuse("too_many_traces", "as many packet logs run as may: wait until one has ended")
	}
	return err
}
