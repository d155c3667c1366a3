package page

import (
	"net/http"

	"github.com/fogkeep/fogkeep/internal/listen"
	"github.com/fogkeep/fogkeep/match/grid"
)

// Traffic is what went over the sockets of a match, as of its last full second.
type Traffic struct {
	Tick    grid.Tick
	All     Spans
	Clients []ClientTraffic // the players by slot, then the spectators
}

// ClientTraffic is one client's share of it, over all its connections.
type ClientTraffic struct {
	Slot grid.Slot // grid.NoSlot: all spectators together
	Spans
}

// Spans is what went over in the last full second, in the last 60 of them, and
// since the match began.
type Spans struct {
	Second Sums `json:"second" doc:"the last full second"`
	Minute Sums `json:"minute" doc:"the last 60 full seconds"`
	Match  Sums `json:"match" doc:"since the match began"`
}

// Sums is what went over in one span of time.
type Sums struct {
	Sent     Messages `json:"sent" doc:"to clients"`
	Received Messages `json:"received" doc:"from clients"`
	Parts    []Part   `json:"parts" doc:"parts of the messages, both ways, those that there were"`
	Classes  []Class  `json:"classes" doc:"classes of entities, of what was sent"`
}

// Messages is how many, and how many bytes of payload.
type Messages struct {
	Messages uint64 `json:"messages"`
	Bytes    uint64 `json:"bytes" doc:"of payload"`
}

// Part is what one part of the messages took; docs/protocol.md has them all.
type Part struct {
	Name   string `json:"name"`
	Group  string `json:"group"`
	Client bool   `json:"client" doc:"clients send it"`
	Bytes  uint64 `json:"bytes"`
	Rows   uint64 `json:"rows"`
}

// Class is what was told of one class of entities; "none" is the rest.
type Class struct {
	Name  string `json:"name"`
	Bytes uint64 `json:"bytes"`
	Rows  uint64 `json:"rows"`
}

// liveTraffic is a Traffic on the wire.
type liveTraffic struct {
	ID      string              `json:"id"`
	Tick    grid.Tick           `json:"tick"`
	All     Spans               `json:"all" doc:"of all clients"`
	Clients []liveClientTraffic `json:"clients" doc:"the players by slot, then all spectators together"`
}

type liveClientTraffic struct {
	Slot       int  `json:"slot" doc:"-1: the spectators"`
	Spectators bool `json:"spectators"`
	Spans
}

func (h *handler) traffic(w http.ResponseWriter, r *http.Request) {
	if err := listen.CheckQuery(r.URL); err != nil {
		h.fail(w, r, err)
		return
	}
	h.guard(w, r, EyesAll, h.count)
}

func (h *handler) count(w http.ResponseWriter, r *http.Request) {
	t, err := h.src.Traffic(r.Context(), r.PathValue("id"))
	if err != nil {
		h.fail(w, r, err)
		return
	}
	out := liveTraffic{r.PathValue("id"), t.Tick, t.All.listed(), make([]liveClientTraffic, 0, len(t.Clients))}
	for _, c := range t.Clients {
		j := liveClientTraffic{Slot: int(c.Slot), Spans: c.Spans.listed()}
		if c.Slot == grid.NoSlot {
			j.Slot, j.Spectators = -1, true
		}
		out.Clients = append(out.Clients, j)
	}
	h.json(w, out)
}

// listed has empty lists where there are none, which JSON would write as null.
func (s Spans) listed() Spans {
	for _, x := range []*Sums{&s.Second, &s.Minute, &s.Match} {
		if x.Parts == nil {
			x.Parts = []Part{}
		}
		if x.Classes == nil {
			x.Classes = []Class{}
		}
	}
	return s
}
